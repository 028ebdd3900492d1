import { existsSync, statSync } from 'node:fs'
import { extname, join, relative, resolve } from 'node:path'
import { CliError } from '../cli-error.js'

const FOLDERS = ['dist', 'build', '']
const NAMES = ['main', 'app', 'index']
const EXTENSIONS = ['js', 'mjs', 'cjs']
const TYPESCRIPT = new Set(['.ts', '.mts', '.cts', '.tsx'])

/**
 * Finds the JavaScript that starts an application: the one that was named, else a conventional one such as `dist/main.js`.
 *
 * @throws CliError with status 2 if there is none, or if it is TypeScript.
 */
export function findBuiltEntry(named: string | undefined, cwd: string): string {
  if (named !== undefined) return namedEntry(named, cwd)
  const found = conventional(cwd).find(isFile)
  if (found !== undefined) return found
  throw new CliError({
    status: 2,
    what: 'No built application was found.',
    cause: `There is no dist/main.js, build/main.js or main.js in ${cwd}, and none of app or index.`,
    remedy: 'Build it (`npm run build`), or name its module: `blazon start dist/server.js`.',
  })
}

function namedEntry(named: string, cwd: string): string {
  const path = resolve(cwd, named)
  const isTypeScript = TYPESCRIPT.has(extname(path))
  if (isFile(path) && !isTypeScript) return path
  if (isTypeScript) {
    throw new CliError({
      status: 2,
      what: `${named} is TypeScript, and \`blazon start\` runs JavaScript.`,
      remedy: `Compile it (\`npm run build\`) and name the result, such as dist/main.js; \`blazon dev --entry ${named}\` runs it while you write it.`,
    })
  }
  const built = conventional(cwd).find(isFile)
  throw new CliError({
    status: 2,
    what: `The entry ${path} does not exist.`,
    cause: existsSync(path) ? 'It is a folder.' : 'The command names it.',
    remedy:
      built === undefined
        ? 'Build the application, and name its module with the extension.'
        : `Name the module with its extension, such as ${relative(cwd, built)}.`,
  })
}

function conventional(cwd: string): string[] {
  return FOLDERS.flatMap((folder) =>
    NAMES.flatMap((name) =>
      EXTENSIONS.map((extension) => join(cwd, folder, `${name}.${extension}`)),
    ),
  )
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
