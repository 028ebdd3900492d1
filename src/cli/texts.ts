import { inspect } from 'node:util'
import type { RouteTableEntry } from '../contracts/route-model.js'
import type { JobInputs } from './load/protocol.js'

/** Returns the cells of a route: method, path with its version, handler, and access. */
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

/** Returns the cells of a job: its name, and the fields of its input. */
export function rowOfJob([name, { input }]: [string, JobInputs[string]]): string[] {
  const { properties = {}, required = [] } = input ?? {}
  const fields = Object.keys(properties).map((field) =>
    required.includes(field) ? field : `${field}?`,
  )
  return ['JOB', name, fields.length === 0 ? '' : `{ ${fields.join(', ')} }`, '']
}

/** Returns the access of a route. For signed requests, it uses the same word as `authMatrix`. */
function accessOf({
  isProtected,
  isAuthOptional,
  isSigned,
}: Pick<RouteTableEntry, 'isProtected' | 'isAuthOptional' | 'isSigned'>): string {
  if (isSigned) return isProtected ? 'signature, protected' : 'signature'
  if (isProtected) return 'protected'
  return isAuthOptional ? 'optional' : 'public'
}

/** Returns lines with aligned columns. */
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

/** Returns a number with a noun, such as `1 route` or `2 routes`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Returns the message of a thrown value, which can have any type. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name
  return typeof error === 'string' ? error : inspect(error, { depth: 1, breakLength: 100 })
}
