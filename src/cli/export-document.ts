import { realpathSync } from 'node:fs'
import { relative } from 'node:path'
import type { OpenApiDocument } from '../contracts/openapi.js'
import { operationsIn } from '../schema/path-item.js'
import { CliError } from './cli-error.js'
import { emitClient } from './client/emit-client.js'
import { documentText } from './document-text.js'
import { type ExportTargets, exportTargets, type RawExportOptions } from './export-options.js'
import { type LoadOptions, loadApp } from './load/load-app.js'
import { pickDocument } from './pick-document.js'
import { projectCommand } from './project-command.js'
import type { Streams } from './streams.js'
import { type OutputFile, readText, writeFiles } from './write-files.js'

/** The number of lines that are shown of each side. */
const SHOWN = 3

/**
 * Shows the first place where a file differs from the expected text: lines of the file with `-`, expected lines with
 * `+`.
 */
export function firstDifferences(actual: string, expected: string): string {
  const [from, to] = [actual.split('\n'), expected.split('\n')]
  const found = from.findIndex((line, index) => line !== to[index])
  const first = found === -1 ? from.length : found
  const shown = (sign: string, lines: readonly string[]) =>
    lines.slice(first, first + SHOWN).map((line) => `${sign} ${line}`)
  return [`line ${first + 1}:`, ...shown('-', from), ...shown('+', to)].join('\n')
}

/** Options of `openapi export`. */
export interface ExportOptions extends RawExportOptions, LoadOptions {
  readonly strict?: boolean
  /** The value of `--path`. */
  readonly path?: string
  /** The arguments of the run. */
  readonly argv: readonly string[] | undefined
}

/**
 * Exports the document of an application, and a client if requested. Writes the files, or with `--check`
 * compares them.
 *
 * @throws CliError when the application cannot be read, a file cannot be written, or a check fails.
 */
export async function exportDocument(options: ExportOptions, streams: Streams): Promise<void> {
  const targets = exportTargets(options, options.cwd)
  const report = await loadApp({ kind: 'documents' }, options)
  const document = pickDocument(report, options, streams)
  const files = outputFiles(document, targets)
  const written = files.filter(({ path }) => path !== '-')
  if (options.check === true) return check(written, { options, streams })
  // Write the files before anything is printed to stdout: a failure must not leave partial output there.
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

/** @throws CliError with status 3 when a file differs from the text that would be written. */
function check(files: readonly OutputFile[], { options, streams }: ExportDeps): void {
  const stale = files.flatMap(({ path, text }) => {
    // Git may have converted the line ends to the line ends of the platform.
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

/** The same command without `--check`. */
function writingCommand({ argv = ['openapi', 'export'] }: ExportOptions): string {
  return projectCommand(argv.filter((each) => each !== '--check'))
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
  return operations === 1 ? '1 operation' : `${operations} operations`
}
