import { existsSync, lstatSync, readFileSync, type Stats, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const NAME = 'openapi-client.ts'

/**
 * The path of a client without `--client-out`: in `src/`, if there is one beside the document, because a build with
 * `rootDir: "src"` refuses an import from elsewhere. A client that is beside the document stays there.
 *
 * @param beside The folder of the document, relative to `cwd` or absolute.
 */
export function defaultClient(beside: string, cwd: string): string {
  const [name, inSources] = [join(beside, NAME), join(beside, 'src', NAME)]
  const hasSources = isFolder(resolve(cwd, beside, 'src'))
  // A link counts, wherever it leads.
  const isBeside = statsOf(() => lstatSync(resolve(cwd, name))) !== undefined
  return hasSources && !isBeside ? inSources : name
}

/** Whether an earlier export has written a client there. */
export function isWrittenClient(path: string): boolean {
  const text = existsSync(path) && !isFolder(path) ? readFileSync(path, 'utf8') : ''
  return text.includes('Written by `blazon openapi export --client')
}

function isFolder(path: string): boolean {
  return statsOf(() => statSync(path))?.isDirectory() === true
}

/** `undefined` for a path that does not exist, or leads through a file. */
function statsOf(read: () => Stats): Stats | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
