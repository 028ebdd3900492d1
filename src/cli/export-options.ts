import { existsSync, lstatSync, readFileSync, type Stats, statSync } from 'node:fs'
import { dirname, extname, join, resolve } from 'node:path'
import { CliError } from './cli-error.js'
import type { DocumentFormat } from './document-text.js'
import { outputPath } from './output-path.js'

const NAME = 'openapi-client.ts'

/**
 * The path of a client without `--client-out`: in `src/`, if there is one beside the document, because a build with
 * `rootDir: "src"` refuses an import from elsewhere. A client that is beside the document stays there.
 *
 * @param beside The folder of the document, relative to `cwd` or absolute.
 */
function defaultClient(beside: string, cwd: string): string {
  const [name, inSources] = [join(beside, NAME), join(beside, 'src', NAME)]
  const hasSources = isFolder(resolve(cwd, beside, 'src'))
  // A link counts, wherever it leads.
  const isBeside = statsOf(() => lstatSync(resolve(cwd, name))) !== undefined
  return hasSources && !isBeside ? inSources : name
}

/** Whether an earlier export has written a client there. */
function isWrittenClient(path: string): boolean {
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

/** The options of `openapi export` as the user wrote them. */
export interface RawExportOptions {
  readonly out?: string
  readonly format?: DocumentFormat
  readonly client?: 'typescript'
  readonly clientOut?: string
  readonly check?: boolean
}

/** The files to write. */
export interface ExportTargets {
  readonly format: DocumentFormat
  /** An absolute path, or `-` for stdout. */
  readonly out: string
  /** An absolute path, or `-`; `null` without a client. */
  readonly client: string | null
}

/**
 * Resolves the options to files, with defaults.
 *
 * @throws CliError when options contradict each other, or name a file that must not be written.
 */
export function exportTargets(options: RawExportOptions, cwd: string): ExportTargets {
  const { out: given, client } = options
  const format = options.format ?? (isYaml(given) ? 'yaml' : 'json')
  const name = given ?? `openapi.${format}`
  if (client === undefined && options.clientOut !== undefined) {
    throw contradiction('--client-out needs --client.', 'Add --client typescript.')
  }
  const out = name === '-' ? '-' : outputPath(name, '--out', cwd)
  // The folder of `--out` as the user wrote it, so that a relative path also stays inside the project.
  const usual = defaultClient(out === '-' ? '.' : dirname(name), cwd)
  // A client that was written once is kept up to date, and compared.
  const isWanted = client !== undefined || (out !== '-' && isWrittenClient(resolve(cwd, usual)))
  if (!isWanted) {
    if (options.check === true && out === '-') throw nothingToCheck()
    return { format, out, client: null }
  }
  const clientName = options.clientOut ?? usual
  const clientOut = clientName === '-' ? '-' : outputPath(clientName, '--client-out', cwd)
  if (out === clientOut) {
    throw contradiction(
      'The document and the client have the same path.',
      'Give each a path of its own.',
    )
  }
  if (options.check === true && [out, clientOut].includes('-')) throw nothingToCheck()
  return { format, out, client: clientOut }
}

function isYaml(path: string | undefined): boolean {
  return path !== undefined && /^\.ya?ml$/i.test(extname(path))
}

function nothingToCheck(): CliError {
  return contradiction('--check has no file to compare.', 'Name the file instead of -.')
}

function contradiction(what: string, remedy: string): CliError {
  return new CliError({ status: 2, what, cause: 'The options contradict each other.', remedy })
}
