import { formatProblem } from '../errors/config-error.js'
import { explainRoute } from './explain-route.js'
import { type LoadOptions, loadApp } from './load/load-app.js'
import { alignRows, rowOf, rowOfJob } from './route-rows.js'
import type { Streams } from './streams.js'

/** Options of `routes`. */
export interface RoutesOptions extends LoadOptions {
  readonly json?: boolean
  readonly filter?: string
  /** Only routes of this version, and those in every version. Default: the routes of all versions. */
  readonly apiVersion?: string
  /** The method and the path of the route to explain, or only its path; `undefined` lists the routes. */
  readonly explain?: readonly string[]
}

/**
 * Prints the routes of an application in the order of their declaration, or explains one of them.
 *
 * @throws CliError when the application cannot be read, or has no such route.
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
  const count = shown.length === 1 ? '1 route' : `${shown.length} routes`
  const isWhole = options.filter === undefined && apiVersion === undefined
  streams.note(isWhole ? count : `${count} of ${routes.length}`)
}
