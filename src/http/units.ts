import type { Duration, Size } from '../contracts/limits.js'
import { invalid, type Problem, shown } from '../errors/config-error.js'

const SECONDS = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 } as const
const BYTES = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 } as const

/**
 * Converts a duration to seconds; `undefined` if it is not a duration. The units are `ms`, `s`, `m`, `h` and `d`.
 *
 * @example
 * toSeconds('1.5m') // 90
 */
export function toSeconds(duration: Duration): number | undefined {
  return read(duration, SECONDS)
}

/**
 * Converts a size to bytes, rounded down; `undefined` if it is not a size. The units are `b`, `kb`, `mb` and `gb`; 1 kb
 * is 1024 bytes.
 *
 * @example
 * toBytes('1.5kb') // 1536
 */
export function toBytes(size: Size): number | undefined {
  const bytes = read(size, BYTES)
  return bytes === undefined ? undefined : Math.floor(bytes)
}

function read(value: number | string, units: Readonly<Record<string, number>>): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined
  const match = /^(\d+(?:\.\d+)?)\s?([a-z]+)$/i.exec(String(value))
  const name = match?.[2]?.toLowerCase() ?? ''
  // Without `hasOwn`, `'constructor'` would count as a unit. The result would be NaN, a limit that no size exceeds.
  return Object.hasOwn(units, name) ? Number(match?.[1]) * (units[name] as number) : undefined
}

/** Reports a value that is not a size. */
export function checkSize(name: string, value: Size | undefined): Problem[] {
  if (value === undefined || toBytes(value) !== undefined) return []
  return [
    invalid(name, `${String(value)} is not a size.`, "Pass bytes, or a string such as '1mb'."),
  ]
}

/** Reports a value that is not a whole number of at least 1. */
export function checkCount(name: string, value: number | undefined): Problem[] {
  if (value === undefined || (Number.isInteger(value) && value > 0)) return []
  return [invalid(name, `${String(value)} is not a count.`, 'Pass a whole number above 0.')]
}

/** Reports a value that is not a duration greater than 0. */
export function checkDuration(name: string, value: Duration | undefined): Problem[] {
  if (value === undefined || toSeconds(value)) return []
  const remedy = "Pass a number of seconds greater than 0, or a string such as '30s'."
  return [invalid(name, `${String(value)} is not a duration greater than 0.`, remedy)]
}

/** Reports a value that is not a boolean. */
export function checkSwitch(name: string, value: unknown): Problem[] {
  if (value === undefined || typeof value === 'boolean') return []
  return [invalid(name, `${shown(value)} is not a boolean.`, 'Pass true or false.')]
}
