import type { Duration, Size } from '../contracts/limits.js'
import type { Problem } from '../errors/config-error.js'
import { invalid } from '../errors/invalid.js'
import { toBytes, toSeconds } from './units.js'

/** Finds a value that is not a size. */
export function checkSize(name: string, value: Size | undefined): Problem[] {
  if (value === undefined || toBytes(value) !== undefined) return []
  return [invalid(name, `${String(value)} is not a size.`, "Give bytes, or '100kb', '1mb'.")]
}

/** Finds a value that is not a whole number of at least 1. */
export function checkCount(name: string, value: number | undefined): Problem[] {
  if (value === undefined || (Number.isInteger(value) && value > 0)) return []
  return [invalid(name, `${String(value)} is not a count.`, 'Give a whole number above 0.')]
}

/** Finds a value that is not a duration above 0. */
export function checkDuration(name: string, value: Duration | undefined): Problem[] {
  if (value === undefined || toSeconds(value)) return []
  const remedy = "Give seconds above 0, or '250ms', '30s', '2m'."
  return [invalid(name, `${String(value)} is not a duration.`, remedy)]
}
