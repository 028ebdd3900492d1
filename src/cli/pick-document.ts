import type { OpenApiDocument } from '../contracts/openapi.js'
import { formatProblem, type Problem } from '../errors/config-error.js'
import { CliError } from './cli-error.js'
import type { DocumentReport } from './load/protocol.js'
import type { Streams } from './program-context.js'
import { counted } from './texts.js'

/** The documents that the child process reported. */
export interface DocumentReports {
  readonly documents: readonly DocumentReport[]
  readonly warnings: readonly Problem[]
}

/** Options that select the document and determine whether warnings count as errors. */
export interface PickOptions {
  /** The path at which the application serves the page of the document. Required if there are several documents. */
  readonly path?: string
  /** Whether warnings count as errors. Default: `false`. */
  readonly strict?: boolean
}

/**
 * Selects a document, and prints its warnings.
 *
 * @throws CliError if the options do not select exactly one document, or if the document has errors.
 */
export function pickDocument(
  { documents, warnings }: DocumentReports,
  { path, strict = false }: PickOptions,
  streams: Streams,
): OpenApiDocument {
  const { document, problems } = find(documents, path)
  const all = [...warnings, ...problems]
  const errors = all.filter(({ code }) => strict || code.startsWith('E_'))
  if (errors.length > 0) throw wrong(errors)
  for (const problem of all) streams.note(`warning ${formatProblem(problem)}`)
  return document
}

function find(documents: readonly DocumentReport[], path: string | undefined): DocumentReport {
  const isWanted = ({ path: own }: DocumentReport) => path === undefined || own === path
  const [found, ...others] = documents.filter(isWanted)
  if (found !== undefined && others.length === 0) return found
  const paths = documents.map(({ path: own }) => own).join(', ')
  throw new CliError({
    status: 2,
    what:
      path === undefined
        ? 'The application has several documents, but the command does not specify one.'
        : `There is no document at ${path}.`,
    cause: `The application has: ${paths}.`,
    remedy: `Choose one: --path ${documents[0]?.path}`,
  })
}

function wrong(problems: readonly Problem[]): CliError {
  const list = problems.map((problem, i) => `${i + 1}. ${formatProblem(problem)}`)
  return new CliError({
    status: 1,
    what: `The document cannot be used: ${counted(problems.length, 'problem')}.\n\n${list.join('\n\n')}`,
  })
}
