import type { RouteTableEntry } from '../contracts/route-model.js'

/** The cells of a route: method, path, handler, access. */
export function rowOf({ method, path, controller, handler, ...access }: RouteTableEntry): string[] {
  const open = access.isAuthOptional ? 'optional' : 'public'
  const state = access.isProtected ? 'protected' : open
  const { guards = [] } = access
  const named = guards.length === 0 ? state : `${state}: ${guards.join(', ')}`
  return [method, path, `${controller}.${handler}`, named]
}

/** Lines with aligned columns. */
export function alignRows(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0)),
  )
  return rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
