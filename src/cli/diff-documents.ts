import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'yaml'
import type { OpenApiDocument } from '../contracts/openapi.js'
import { operationsIn } from '../schema/path-item.js'
import { CliError } from './cli-error.js'
import type { Change } from './diff/change.js'
import { compareDocuments } from './diff/compare-documents.js'
import { type LoadOptions, loadApp } from './load/load-app.js'
import { type DocumentReports, pickDocument } from './pick-document.js'
import type { Streams } from './program-context.js'
import { counted, messageOf } from './texts.js'

/** Options of `openapi diff`. */
export interface DiffOptions extends LoadOptions {
  /** Whether to print only changes that break clients, and to fail if there are any. */
  readonly breaking?: boolean
  readonly format?: 'text' | 'json'
  /** The value of `--path`. */
  readonly path?: string
}

/**
 * Prints the changes between an older document and the current document.
 *
 * @throws CliError with status 3 if a change breaks clients and `breaking` is set.
 */
export async function diffDocuments(
  base: string,
  options: DiffOptions,
  streams: Streams,
): Promise<void> {
  const older = readDocument(base, options.cwd)
  const report = await loadApp({ kind: 'documents' }, options)
  const all = compare(base, older, pickDocument(report as DocumentReports, options, streams))
  const broken = all.filter(({ isBreaking }) => isBreaking)
  const shown = options.breaking === true ? broken : all
  streams.out(
    options.format === 'json' ? `${JSON.stringify(shown, null, 2)}\n` : formatChanges(shown),
  )
  if (options.breaking !== true || broken.length === 0) {
    return streams.note(
      `${counted(broken.length, 'breaking change')}, ${counted(all.length, 'change')} in all.`,
    )
  }
  throw new CliError({
    status: 3,
    what: `Clients of ${base} can break: ${counted(broken.length, 'breaking change')}.`,
    cause: 'They are listed above.',
    remedy:
      'Undo these changes; or, if they are intended, release them as a new version and update the base.',
  })
}

/**
 * Compares two documents. `readDocument` checks only the outline of a file, so an invalid document can still cause an
 * error here.
 */
function compare(path: string, base: OpenApiDocument, current: OpenApiDocument): Change[] {
  try {
    return compareDocuments(base, current)
  } catch (error) {
    throw new CliError({
      status: 2,
      what: `${path} cannot be compared.`,
      cause: `It is not a valid OpenAPI document: ${messageOf(error)}`,
      remedy: 'Export it again with `blazon openapi export`.',
      stack: error instanceof Error ? error.stack : undefined,
    })
  }
}

/** Returns the changes as text, grouped by operation. Breaking changes are marked. */
function formatChanges(changes: readonly Change[]): string {
  let operation = ''
  const lines = changes.flatMap((change) => {
    const heading = change.operation === operation ? [] : [change.operation]
    operation = change.operation
    const mark = change.isBreaking ? 'breaking' : 'ok      '
    return [
      ...heading,
      `  ${mark}  ${change.location === '' ? '' : `${change.location}: `}${change.message} (${change.rule})`,
    ]
  })
  return lines.map((line) => `${line}\n`).join('')
}

/**
 * The limit for YAML aliases, which can expand to data that is far larger than the file. Real documents have fewer
 * aliases.
 */
const MAX_ALIASES = 1000

/**
 * Reads a document from a JSON or YAML file.
 *
 * @throws CliError if the file cannot be read, or is not an OpenAPI document of version 3.
 */
export function readDocument(path: string, cwd: string): OpenApiDocument {
  const file = resolve(cwd, path)
  const document = parseText(file, readText(file))
  const problem = problemOf(document)
  if (problem === null) return document as OpenApiDocument
  throw new CliError({
    status: 2,
    what: `${file} is not an OpenAPI document.`,
    cause: problem,
    remedy: 'Specify a file that `blazon openapi export` wrote.',
  })
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    throw new CliError({
      status: 2,
      what: `${path} cannot be read.`,
      cause: messageOf(error),
      remedy: 'Specify a document that `blazon openapi export` wrote.',
    })
  }
}

/**
 * Parses JSON first, although JSON is also YAML, because `yaml` is many times slower and its messages are not suitable
 * for JSON.
 */
function parseText(path: string, text: string): unknown {
  try {
    return /^\s*[{[]/.test(text) ? JSON.parse(text) : parse(text, { maxAliasCount: MAX_ALIASES })
  } catch (error) {
    throw new CliError({
      status: 2,
      what: `${path} is neither JSON nor YAML.`,
      cause: messageOf(error),
      remedy: 'Export it again with `blazon openapi export`.',
    })
  }
}

/** Returns the reason why a value is not a comparable document; `null` if it is comparable. */
function problemOf(value: unknown): string | null {
  if (!isRecord(value)) return 'It is not an object.'
  if (typeof value['openapi'] !== 'string' || !value['openapi'].startsWith('3.')) {
    return `Its field "openapi" is ${JSON.stringify(value['openapi'])}; 3.0, 3.1 or 3.2 was expected.`
  }
  const { paths } = value
  if (!isRecord(paths)) return 'Its field "paths" is not an object.'
  for (const [path, item] of Object.entries(paths)) {
    if (!isRecord(item)) return `Its path ${path} is not an object.`
    for (const [method, operation] of Object.entries(operationsIn(item))) {
      const isOperation = /^(get|query|post|put|patch|delete|head|options)$/.test(method)
      if (isOperation && !(isRecord(operation) && isRecord(operation['responses']))) {
        return `Its operation ${method.toUpperCase()} ${path} has no responses.`
      }
    }
  }
  return null
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
