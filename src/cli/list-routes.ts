import type { RouteTableEntry } from '../contracts/route-model.js'
import { formatProblem } from '../errors/config-error.js'
import { type LoadOptions, loadApp } from './load/load-app.js'
import type { Streams } from './streams.js'

/** Options of `routes`. */
export interface RoutesOptions extends LoadOptions {
  readonly json?: boolean
  readonly filter?: string
}

/**
 * Prints the routes of an application in the order of their declaration.
 *
 * @throws CliError when the application cannot be read.
 */
export async function listRoutes(options: RoutesOptions, streams: Streams): Promise<void> {
  const { routes, warnings } = await loadApp('routes', options)
  for (const warning of warnings) streams.note(`warning ${formatProblem(warning)}`)
  const shown = routes.filter((route) => matches(route, options.filter))
  if (options.json === true) return streams.out(`${JSON.stringify(shown, null, 2)}\n`)
  streams.out(table(shown))
  const count = shown.length === 1 ? '1 route' : `${shown.length} routes`
  streams.note(options.filter === undefined ? count : `${count} of ${routes.length}`)
}

/** Whether the printed row contains the filter text, ignoring case. */
function matches(route: RouteTableEntry, filter: string | undefined): boolean {
  return filter === undefined || row(route).join(' ').toLowerCase().includes(filter.toLowerCase())
}

function row({ method, path, controller, handler, ...access }: RouteTableEntry): string[] {
  const open = access.isAuthOptional ? 'optional' : 'public'
  return [method, path, `${controller}.${handler}`, access.isProtected ? 'protected' : open]
}

function table(routes: readonly RouteTableEntry[]): string {
  const rows = routes.map(row)
  const widths = [0, 1, 2].map((column) =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0)),
  )
  return rows
    .map((cells) => `${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}\n`)
    .join('')
}
