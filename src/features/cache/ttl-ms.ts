import type { Duration } from '../../contracts/limits.js'
import { toSeconds } from '../../http/units.js'

/**
 * Returns a time to live in milliseconds.
 *
 * @throws TypeError when it is neither a number nor a string; RangeError when it is negative, not finite, or
 * has an unknown unit.
 */
export function ttlMs(ttl: Duration, what: string): number {
  if (typeof ttl !== 'number' && typeof ttl !== 'string') {
    throw new TypeError(`${what}: the ttl is ${String(ttl)}. Give seconds, or '90s', '15m'.`)
  }
  const seconds = toSeconds(ttl)
  if (seconds === undefined) {
    throw new RangeError(
      `${what}: the ttl ${JSON.stringify(ttl)} is not a duration. Give seconds, 0 or more, or '90s', '15m'.`,
    )
  }
  return seconds * 1000
}
