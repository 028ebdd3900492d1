import type { ExplainResult, RouteQuery } from '../app/explain/explanation.js'
import { formatProblem } from '../errors/config-error.js'
import { CliError } from './cli-error.js'
import { explanationText } from './explanation-text.js'
import { type LoadOptions, loadApp } from './load/load-app.js'
import { alignRows, rowOf } from './route-rows.js'
import type { Streams } from './streams.js'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'ALL']

/** More candidates than these do not help. */
const MAX_CANDIDATES = 10

/** Options of `routes --explain`. */
export interface ExplainOptions extends LoadOptions {
  readonly json?: boolean
}

/**
 * Prints what requests of one route pass.
 *
 * @param words The method and the path, or the path alone.
 * @throws CliError when the application cannot be read, or when not exactly one route matches.
 */
export async function explainRoute(
  words: readonly string[],
  options: ExplainOptions,
  streams: Streams,
): Promise<void> {
  const query = parseQuery(words)
  const { result, warnings } = await loadApp({ kind: 'explain', query }, options)
  for (const warning of warnings) streams.note(`warning ${formatProblem(warning)}`)
  if (result.kind !== 'route') throw noSingleRoute(query, result)
  const { route } = result
  streams.out(
    options.json === true
      ? `${JSON.stringify(route, null, 2)}\n`
      : explanationText(route, streams.columns),
  )
}

/** Both parts may also be one word, in quotes: `--explain 'GET /orders'`. */
function parseQuery(given: readonly string[]): RouteQuery {
  const words = given.flatMap((word) => word.split(/\s+/)).filter(Boolean)
  const path = words.at(-1) ?? ''
  const method = words.length > 1 ? (words[0] ?? '').toUpperCase() : null
  if (words.length > 2 || path === '' || METHODS.includes(path.toUpperCase())) {
    throw misused(`--explain was given ${given.map((word) => `'${word}'`).join(' ')}.`)
  }
  if (method !== null && !METHODS.includes(method)) {
    throw misused(`${words[0]} is not a method: ${METHODS.join(', ')}.`)
  }
  return { method, path: path.startsWith('/') ? path : `/${path}` }
}

function misused(cause: string): CliError {
  return new CliError({
    status: 2,
    what: '--explain needs a route.',
    cause,
    remedy:
      'Give a method and a path: --explain GET /orders/:id. A path alone is enough if one route has it.',
  })
}

type Miss = Exclude<ExplainResult, { kind: 'route' }>

function noSingleRoute({ method, path }: RouteQuery, { kind, candidates }: Miss): CliError {
  const name = method === null ? path : `${method} ${path}`
  const what = {
    several: `Several routes match ${name}.`,
    method: `No route matches ${name}: the path has other methods.`,
    none: `No route matches ${name}.`,
  }
  return new CliError({
    status: 2,
    what: what[kind],
    cause: listOf(candidates, kind === 'none' ? 'The most similar routes:' : 'The routes:'),
    remedy:
      kind === 'none'
        ? 'Name one route; `blazon routes` lists all.'
        : `Name the method, too: --explain ${candidates[0]?.method} ${path}`,
  })
}

function listOf(candidates: Miss['candidates'], title: string): string {
  if (candidates.length === 0) return 'The application has no routes.'
  const rows = alignRows(candidates.slice(0, MAX_CANDIDATES).map(rowOf))
  return [title, ...rows.map((row) => `  ${row}`)].join('\n')
}
