import { inspect } from 'node:util'
import type { RouteTableEntry } from '../contracts/route-model.js'
import type { JobInputs } from './load/protocol.js'

/** The cells of a route: method, path with its version, handler, access. */
export function rowOf({ method, path, controller, handler, ...access }: RouteTableEntry): string[] {
  const { guards = [], version } = access
  const isNamed = version === undefined || path.split('/').includes(`v${version}`)
  const state = accessOf(access)
  const named = guards.length === 0 ? state : `${state}: ${guards.join(', ')}`
  return [
    method,
    isNamed ? path : `${path} (version ${version})`,
    `${controller}.${handler}`,
    named,
  ]
}

/** The cells of a job: its name, and the fields of its input. */
export function rowOfJob([name, { input }]: [string, JobInputs[string]]): string[] {
  const { properties = {}, required = [] } = input ?? {}
  const fields = Object.keys(properties).map((field) =>
    required.includes(field) ? field : `${field}?`,
  )
  return ['JOB', name, fields.length === 0 ? '' : `{ ${fields.join(', ')} }`, '']
}

/** The same word as in `authMatrix` for a signed request. */
function accessOf({
  isProtected,
  isAuthOptional,
  isSigned,
}: Pick<RouteTableEntry, 'isProtected' | 'isAuthOptional' | 'isSigned'>): string {
  if (isSigned) return isProtected ? 'signature, protected' : 'signature'
  if (isProtected) return 'protected'
  return isAuthOptional ? 'optional' : 'public'
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

/** A number with a noun: `1 route`, `2 routes`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** The text of a thrown value, which may be of any type. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name
  return typeof error === 'string' ? error : inspect(error, { depth: 1, breakLength: 100 })
}
