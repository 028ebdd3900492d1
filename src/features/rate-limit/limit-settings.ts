import type { RateLimitBy, RateLimitPolicy, RateLimitStore } from '../../contracts/rate-limit.js'
import { toSeconds } from '../../http/units.js'

/**
 * One limit with defaults and units resolved. `name` is `undefined` when the name follows from the place of the
 * limit.
 */
export interface SettledPolicy {
  readonly name: string | undefined
  readonly limit: number
  readonly windowMs: number
  readonly by: RateLimitBy
}

/** The `rateLimit` option, resolved. */
export interface RateLimitSettings {
  /** Whether `rateLimit` is `false`: then `@RateLimit` is ignored, too. */
  readonly isOff: boolean
  /** The limits of routes without `@RateLimit`, and of requests without a route. */
  readonly policies: readonly SettledPolicy[]
  /** `null` for the default: the memory of this process. */
  readonly store: RateLimitStore | null
}

/** Converts the units of a limit of the option or of `@RateLimit`. Boot has checked the limit. */
export function settlePolicy({ name, limit, window, by = 'ip' }: RateLimitPolicy): SettledPolicy {
  // A window in milliseconds may have a fraction: 1.1 s would give 1100.0000000000002.
  const windowMs = Math.round(1000 * (toSeconds(window) ?? Number.NaN))
  return Object.freeze({ name, limit, windowMs, by })
}
