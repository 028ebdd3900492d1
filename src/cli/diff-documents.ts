import type { OpenApiDocument } from '../contracts/openapi.js'
import { CliError } from './cli-error.js'
import type { Change } from './diff/change.js'
import { compareDocuments } from './diff/compare-documents.js'
import { readDocument } from './diff/read-document.js'
import { type LoadOptions, loadApp } from './load/load-app.js'
import { messageOf } from './message-of.js'
import { type DocumentReports, pickDocument } from './pick-document.js'
import type { Streams } from './streams.js'

/** Options of `openapi diff`. */
export interface DiffOptions extends LoadOptions {
  /** Whether to print only changes that break clients, and to fail if there are any. */
  readonly breaking?: boolean
  readonly format?: 'text' | 'json'
  /** The value of `--path`. */
  readonly path?: string
}

/**
 * Prints the changes between an older document and the current one.
 *
 * @throws CliError with status 3 when a change breaks clients and `breaking` is set.
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
    return streams.note(`${count(broken, 'breaking change')}, ${count(all, 'change')} in all.`)
  }
  throw new CliError({
    status: 3,
    what: `Clients of ${base} may fail: ${count(broken, 'breaking change')}.`,
    cause: 'They are listed above.',
    remedy:
      'Undo them; or, if they are intended, release them as a new version and update the base.',
  })
}

/**
 * Compares two documents. `readDocument` checks only the outline of a file, so an invalid document may still
 * throw here.
 */
function compare(path: string, base: OpenApiDocument, current: OpenApiDocument): Change[] {
  try {
    return compareDocuments(base, current)
  } catch (error) {
    throw new CliError({
      status: 2,
      what: `${path} cannot be compared.`,
      cause: `It is not a valid OpenAPI document: ${messageOf(error)}`,
      remedy: 'Write it again with `blazon openapi export`.',
      stack: error instanceof Error ? error.stack : undefined,
    })
  }
}

/** The changes as text, grouped by operation. Breaking changes are marked. */
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

function count({ length }: readonly unknown[], what: string): string {
  return `${length} ${what}${length === 1 ? '' : 's'}`
}
