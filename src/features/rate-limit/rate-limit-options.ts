import type { Duration } from '../../contracts/limits.js'
import type { RateLimitBy, RateLimitPolicy, RateLimitStore } from '../../contracts/rate-limit.js'
import { invalid, type Problem } from '../../errors/config-error.js'
import { type OptionGroup, type OptionNames, unknownNames } from '../../errors/option-group.js'
import { toSeconds } from '../../http/units.js'
import { checkPolicy } from './policy-options.js'

/**
 * The `rateLimit` option as an object. The option also accepts `true` (100 requests per minute for each address) and
 * `false` (no limits, and `@RateLimit` is ignored).
 */
export interface RateLimitOptions extends Partial<RateLimitPolicy> {
  /**
   * The maximum number of requests in a window: an integer of at least 1.
   *
   * @defaultValue `100`
   */
  readonly limit?: number
  /**
   * The length of a window, as a duration in whole seconds. A window begins with its first request.
   *
   * @defaultValue `'1m'`
   */
  readonly window?: Duration
  /**
   * Which requests are counted together: requests with the same `'ip'`, `'user'`, `'tenant'` or `'key'` (the ID of the
   * API key), or with the same result of a function `(req) => string`.
   *
   * @defaultValue `'ip'`
   */
  readonly by?: RateLimitBy
  /**
   * The name of the limit in response headers. Limits with the same name share a counter.
   *
   * @defaultValue `'default'`
   */
  readonly name?: string
  /**
   * Several limits, each with the four fields above. If this option is set, the four fields themselves must not be set.
   * A request must satisfy all limits. With an empty list, only routes with `@RateLimit` are limited.
   *
   * @defaultValue the limit that the four fields describe
   */
  readonly policies?: readonly RateLimitPolicy[]
  /**
   * The store that counts requests: `memoryRateLimit({ maxKeys })`, `redisLimits(…)`, or your own `RateLimitStore`.
   *
   * @defaultValue `memoryRateLimit()`
   * @see docs/redis.md
   */
  readonly store?: RateLimitStore
}

type Option = boolean | RateLimitOptions | undefined

const SUBJECT = 'rateLimit'
const NAMES: OptionNames<RateLimitOptions> = {
  limit: true,
  window: true,
  by: 'sync',
  name: true,
  policies: true,
  store: true,
}
const LIMIT = 100
const WINDOW = '1m'

/** The `rateLimit` option. */
export const rateLimitGroup: OptionGroup<Option, RateLimitSettings> = {
  unknown: (rateLimit) => unknownNames('rateLimit.', rateLimit, NAMES),
  check,
  resolve: (rateLimit) =>
    Object.freeze({
      isOff: rateLimit === false,
      policies: Object.freeze(statedPolicies(rateLimit).map(settlePolicy)),
      store: (typeof rateLimit === 'object' ? rateLimit.store : undefined) ?? null,
    }),
}

/** Returns the limits that the option declares for the entire application. */
function statedPolicies(option: Option): readonly RateLimitPolicy[] {
  if (option === undefined || option === false) return []
  const { policies, store: _, ...stated } = option === true ? {} : option
  const { limit = LIMIT, window = WINDOW } = stated
  return policies ?? [{ ...stated, limit, window }]
}

function check(option: unknown): Problem[] {
  if (option === undefined || typeof option === 'boolean') return []
  if (typeof option !== 'object' || option === null || Array.isArray(option)) {
    return [invalid(SUBJECT, `It is ${String(option)}.`, 'Pass true, false, or { limit, window }.')]
  }
  const options = option as RateLimitOptions
  return [...checkStore(options.store), ...checkPolicies(options)]
}

function checkPolicies(options: RateLimitOptions): Problem[] {
  const { policies, store: _, ...stated } = options
  if (policies === undefined) {
    // The check for unknown option names already reports these names.
    return statedPolicies(options)
      .flatMap((policy) => checkPolicy(SUBJECT, policy))
      .filter(({ code }) => code !== 'W_OPTION_UNKNOWN')
  }
  if (!Array.isArray(policies)) {
    return [invalid(`${SUBJECT}.policies`, 'It is not a list.', 'Pass an array of limits.')]
  }
  const beside = (['name', 'limit', 'window', 'by'] as const).filter(
    (name) => stated[name] !== undefined,
  )
  const problems = policies.flatMap((policy, i) => checkPolicy(`${SUBJECT}.policies[${i}]`, policy))
  if (beside.length === 0) return problems
  const cause = `In addition to \`policies\`, the option describes another limit with ${beside.join(', ')}.`
  return [...problems, invalid(SUBJECT, cause, 'Move that limit into `policies`.')]
}

function checkStore(store: RateLimitStore | undefined): Problem[] {
  if (store === undefined || typeof (store as Partial<RateLimitStore>)?.consume === 'function') {
    return []
  }
  const remedy = 'Pass memoryRateLimit(), redisLimits(…), or your own RateLimitStore.'
  return [invalid(`${SUBJECT}.store`, 'It has no method consume.', remedy)]
}

/**
 * One limit with defaults and units resolved. `name` is `undefined` if the name is derived from the place that declares
 * the limit.
 */
export interface SettledPolicy {
  readonly name: string | undefined
  readonly limit: number
  readonly windowMs: number
  readonly by: RateLimitBy
}

/** The `rateLimit` option, resolved. */
export interface RateLimitSettings {
  /** Whether `rateLimit` is `false`. `@RateLimit` is then ignored. */
  readonly isOff: boolean
  /** The limits for routes without `@RateLimit`, and for requests without a route. */
  readonly policies: readonly SettledPolicy[]
  /** `null` for the default store, which counts in the memory of this process. */
  readonly store: RateLimitStore | null
}

/** Converts the units of a limit from the option or from `@RateLimit`. The limit was checked at boot. */
export function settlePolicy({ name, limit, window, by = 'ip' }: RateLimitPolicy): SettledPolicy {
  // A duration in milliseconds may have a fraction: 1.1 s would become 1100.0000000000002 ms.
  const windowMs = Math.round(1000 * (toSeconds(window) ?? Number.NaN))
  return Object.freeze({ name, limit, windowMs, by })
}
