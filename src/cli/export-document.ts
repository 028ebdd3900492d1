import { existsSync, lstatSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { stringify } from 'yaml'
import type { OpenApiDocument } from '../contracts/openapi.js'
import { operationsIn } from '../schema/path-item.js'
import { CliError } from './cli-error.js'
import { emitClient } from './client/emit-client.js'
import { type LoadOptions, loadApp } from './load/load-app.js'
import { outputPath } from './output-path.js'
import { pickDocument } from './pick-document.js'
import type { Streams } from './program-context.js'
import { projectCommand } from './project-command.js'
import { counted } from './texts.js'
import { type OutputFile, readText, writeFiles } from './write-files.js'

/** The file format of a document. */
type DocumentFormat = 'json' | 'yaml'

/** The options of `openapi export`, as the user specified them. */
interface RawExportOptions {
  readonly out?: string
  readonly format?: DocumentFormat
  readonly client?: 'typescript'
  readonly clientOut?: string
  readonly check?: boolean
}

/** The files to write. */
interface ExportTargets {
  readonly format: DocumentFormat
  /** An absolute path, or `-` for stdout. */
  readonly out: string
  /** An absolute path, or `-` for stdout; `null` without a client. */
  readonly client: string | null
}

/** Options of `openapi export`. */
export interface ExportOptions extends RawExportOptions, LoadOptions {
  readonly strict?: boolean
  /** The value of `--path`. */
  readonly path?: string
  /** The command-line arguments. */
  readonly argv: readonly string[] | undefined
}

/**
 * Exports an application's document, and a client if requested. Writes the files, or compares them with `--check`.
 *
 * @throws CliError if the application cannot be read, a file cannot be written, or a check fails.
 */
export async function exportDocument(options: ExportOptions, streams: Streams): Promise<void> {
  const targets = exportTargets(options, options.cwd)
  const report = await loadApp({ kind: 'documents' }, options)
  const document = pickDocument(report, options, streams)
  const files = outputFiles(document, targets)
  const written = files.filter(({ path }) => path !== '-')
  if (options.check === true) return check(written, { options, streams })
  // The files are written before anything is printed to stdout, because a failure must not leave partial output there.
  const results = writeFiles(written)
  for (const { path, text } of files) if (path === '-') streams.out(text)
  const lines = written.map((file, index) => {
    const facts = `${results[index]}, ${sizeOf(file.text)}`
    return `${relative(realpathSync(options.cwd), file.path)} (${facts})`
  })
  if (lines.length > 0) streams.note(`${lines.join(' and ')}: ${count(document)}.`)
}

interface ExportDeps {
  readonly options: ExportOptions
  readonly streams: Streams
}

function outputFiles(document: OpenApiDocument, targets: ExportTargets): OutputFile[] {
  const file = { path: targets.out, text: documentText(document, targets.format) }
  if (targets.client === null) return [file]
  return [file, { path: targets.client, text: emitClient(document) }]
}

/**
 * Compares the files with their expected content.
 *
 * @throws CliError with status 3 if a file differs from its expected content.
 */
function check(files: readonly OutputFile[], { options, streams }: ExportDeps): void {
  const stale = files.flatMap(({ path, text }) => {
    // Git may have converted the line endings.
    const actual = readText(path)?.replaceAll('\r\n', '\n')
    const name = relative(realpathSync(options.cwd), path)
    if (actual === text) return []
    return [
      actual === undefined ? `${name} is missing.` : `${name}, ${firstDifferences(actual, text)}`,
    ]
  })
  if (stale.length === 0) {
    const names = files.map(({ path }) => relative(realpathSync(options.cwd), path))
    return streams.note(`Up to date: ${names.join(', ')}.`)
  }
  throw new CliError({
    status: 3,
    what: 'The written files do not match the application.',
    cause: stale.join('\n'),
    remedy: `Run this, and commit the files that it writes: ${writingCommand(options)}`,
  })
}

/** Returns the user's command without `--check`. */
function writingCommand({ argv = ['openapi', 'export'] }: ExportOptions): string {
  return projectCommand(argv.filter((each) => each !== '--check'))
}

/** The number of lines that are shown for each side. */
const SHOWN = 3

/**
 * Shows the first place where a file differs from its expected content: the actual lines with `-`, and the expected
 * lines with `+`.
 */
export function firstDifferences(actual: string, expected: string): string {
  const [from, to] = [actual.split('\n'), expected.split('\n')]
  const found = from.findIndex((line, index) => line !== to[index])
  const first = found === -1 ? from.length : found
  const shown = (sign: string, lines: readonly string[]) =>
    lines.slice(first, first + SHOWN).map((line) => `${sign} ${line}`)
  return [`line ${first + 1}:`, ...shown('-', from), ...shown('+', to)].join('\n')
}

function sizeOf(text: string): string {
  const bytes = Buffer.byteLength(text)
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`
}

function count({ paths }: OpenApiDocument): string {
  const operations = Object.values(paths).reduce(
    (sum, item) => sum + Object.keys(operationsIn(item)).length,
    0,
  )
  return counted(operations, 'operation')
}

/**
 * Resolves the options to files, and applies defaults.
 *
 * @throws CliError if options contradict each other, or specify a file that must not be written.
 */
export function exportTargets(options: RawExportOptions, cwd: string): ExportTargets {
  const { out: given, client } = options
  const format = options.format ?? (isYaml(given) ? 'yaml' : 'json')
  const name = given ?? `openapi.${format}`
  if (client === undefined && options.clientOut !== undefined) {
    throw contradiction('--client-out is allowed only with --client.', 'Add --client typescript.')
  }
  const out = name === '-' ? '-' : outputPath(name, '--out', cwd)
  // The folder stays relative if `--out` is relative, because `outputPath` lets only absolute paths leave the project.
  const usual = defaultClient(out === '-' ? '.' : dirname(name), cwd)
  // An existing client is updated or compared even without `--client`.
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
      'Use a separate path for each.',
    )
  }
  if (options.check === true && [out, clientOut].includes('-')) throw nothingToCheck()
  return { format, out, client: clientOut }
}

const NAME = 'openapi-client.ts'

/**
 * Returns the default path of a client without `--client-out`. It is in the folder `src/` beside the document, if that
 * folder exists, because a build with `rootDir: "src"` refuses imports from other folders. An existing client beside
 * the document stays there.
 *
 * @param beside The folder of the document, relative to `cwd` or absolute.
 */
function defaultClient(beside: string, cwd: string): string {
  const [name, inSources] = [join(beside, NAME), join(beside, 'src', NAME)]
  const hasSources = isFolder(resolve(cwd, beside, 'src'))
  // A link at this path also counts as an existing client, even if its target is missing.
  const isBeside = statsOf(() => lstatSync(resolve(cwd, name))) !== undefined
  return hasSources && !isBeside ? inSources : name
}

/** Whether an earlier export has written a client to this path. */
function isWrittenClient(path: string): boolean {
  const text = existsSync(path) && !isFolder(path) ? readFileSync(path, 'utf8') : ''
  return text.includes('Written by `blazon openapi export --client')
}

function isFolder(path: string): boolean {
  return statsOf(() => statSync(path))?.isDirectory() === true
}

/** Returns the file status; `undefined` if the path does not exist or contains a file in place of a folder. */
function statsOf(read: () => Stats): Stats | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function isYaml(path: string | undefined): boolean {
  return path !== undefined && /^\.ya?ml$/i.test(extname(path))
}

function nothingToCheck(): CliError {
  return contradiction('--check has no file to compare.', 'Specify a file instead of -.')
}

function contradiction(what: string, remedy: string): CliError {
  return new CliError({ status: 2, what, cause: 'The options contradict each other.', remedy })
}

/** Returns the content of a document file. Equal documents result in equal files. */
export function documentText(document: OpenApiDocument, format: DocumentFormat): string {
  if (format === 'json') return `${JSON.stringify(document, null, 2)}\n`
  return stringify(document, {
    // Many OpenAPI tools do not support YAML anchors and folded lines.
    aliasDuplicateObjects: false,
    lineWidth: 0,
    // YAML 1.1 would not read an unquoted `no` or `1_0` as a string.
    compat: 'yaml-1.1',
  })
}
