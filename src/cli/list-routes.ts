import type { RouteExplanation, RouteQuery } from '../app/explain/explanation.js'
import { formatProblem } from '../errors/config-error.js'
import { CliError } from './cli-error.js'
import { type LoadOptions, loadApp } from './load/load-app.js'
import type { Streams } from './program-context.js'
import { alignRows, counted, rowOf, rowOfJob } from './texts.js'

/** Options of `routes`. */
export interface RoutesOptions extends LoadOptions {
  readonly json?: boolean
  readonly filter?: string
  /**
   * The version whose routes are listed, together with routes that exist in every version. If omitted, the routes of
   * all versions are listed.
   */
  readonly apiVersion?: string
  /** The method and the path of the route to explain, or only the path; `undefined` to list the routes. */
  readonly explain?: readonly string[]
}

/**
 * Prints an application's routes in the order of their declaration, or explains one route.
 *
 * @throws CliError if the application cannot be read or has no such route.
 */
export async function listRoutes(options: RoutesOptions, streams: Streams): Promise<void> {
  const { explain } = options
  if (explain !== undefined) return explainRoute(explain, options, streams)
  const { routes, jobs, warnings } = await loadApp({ kind: 'routes' }, options)
  for (const warning of warnings) streams.note(`warning ${formatProblem(warning)}`)
  const { filter = '', apiVersion } = options
  const matches = (row: readonly string[]) =>
    row.join(' ').toLowerCase().includes(filter.toLowerCase())
  const ofVersion = routes.filter(
    ({ version }) => version === undefined || version === (apiVersion ?? version),
  )
  const shown = ofVersion.filter((route) => matches(rowOf(route)))
  if (options.json === true) return streams.out(`${JSON.stringify(shown, null, 2)}\n`)
  const rows = [...shown.map(rowOf), ...Object.entries(jobs).map(rowOfJob).filter(matches)]
  for (const line of alignRows(rows)) streams.out(`${line}\n`)
  const count = counted(shown.length, 'route')
  const isWhole = options.filter === undefined && apiVersion === undefined
  streams.note(isWhole ? count : `${count} of ${routes.length}`)
}

/**
 * Prints the steps of a request to one route.
 *
 * @param words The method and the path, or only the path.
 * @throws CliError if the application cannot be read, or if not exactly one route matches.
 */
async function explainRoute(
  words: readonly string[],
  options: RoutesOptions,
  streams: Streams,
): Promise<void> {
  const { apiVersion: version } = options
  const query = { ...parseQuery(words), version }
  const { result, warnings } = await loadApp({ kind: 'explain', query }, options)
  for (const warning of warnings) streams.note(`warning ${formatProblem(warning)}`)
  if (result.kind === 'candidates') {
    const rows = alignRows(result.candidates.map(rowOf))
    const name = `${words.join(' ')}${version === undefined ? '' : ` in version ${version}`}`
    throw new CliError({
      status: 2,
      what:
        rows.length === 0
          ? `No route matches ${name}.`
          : `${name} does not match exactly one route.`,
      ...(rows.length > 0 && { cause: ['The routes of the path:', ...rows].join('\n  ') }),
      remedy:
        'Specify one route: --explain GET /orders/:id. If it has several versions, add --api-version. `blazon routes` lists all routes.',
    })
  }
  if (options.json !== true) return streams.out(explanationText(result.route))
  streams.out(`${JSON.stringify(result.route, null, 2)}\n`)
}

/** The method and the path can also be one quoted argument: `--explain 'GET /orders'`. */
function parseQuery(given: readonly string[]): RouteQuery {
  const words = given.flatMap((word) => word.split(/\s+/)).filter(Boolean)
  const path = words.pop()
  const method = words.pop()?.toUpperCase() ?? null
  if (path !== undefined && words.length === 0) {
    return { method, path: path.startsWith('/') ? path : `/${path}` }
  }
  throw new CliError({
    status: 2,
    what: 'The value of --explain is not a route.',
    cause: `The value is ${given.map((word) => `'${word}'`).join(' ')}.`,
    remedy:
      'Specify a method and a path: --explain GET /orders/:id. A path is sufficient if only one route has it.',
  })
}

/** Returns a human-readable explanation of a route. */
function explanationText(route: RouteExplanation): string {
  const { before, steps, decorators } = route
  const sections = [
    [rowOf(route).join('  ')],
    titled(
      'Before the route',
      before.map(({ name, from }) => [name, from]),
    ),
    titled(
      'Steps',
      steps.flatMap(({ name, phase, does, isCertain, sources }, index) => [
        // The name of a phase precedes its first step.
        [
          steps[index - 1]?.phase === phase ? '' : phase,
          name,
          isCertain ? does : `possibly: ${does}`,
        ],
        ...sources.map((source) => ['', '', `- ${source}`]),
      ]),
    ),
    titled(
      'Decorators',
      decorators.map(({ name, on, at }) => [at ? `${at.file}:${at.line}` : 'unknown', name, on]),
    ),
  ]
  const shown = sections.filter((lines) => lines.length > 0)
  return `${shown.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

function titled(title: string, rows: readonly string[][]): string[] {
  return rows.length === 0 ? [] : [title, ...alignRows(rows).map((line) => `  ${line}`)]
}
