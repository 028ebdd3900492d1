import type { CacheStore } from '../../contracts/cache.js'
import type { Duration } from '../../contracts/limits.js'
import { invalid, type Problem, shown } from '../../errors/config-error.js'
import { type OptionGroup, type OptionNames, unknownNames } from '../../errors/option-group.js'
import { toSeconds } from '../../http/units.js'

/** The `cache` option. */
export interface CacheOptions {
  /**
   * The store for the entries: `memoryCache(options)`, `redisCache(…)`, or your own `CacheStore`.
   *
   * @defaultValue `memoryCache()`
   * @see docs/redis.md
   */
  readonly store?: CacheStore
  /**
   * How long `CacheManager` stores an entry if the call passes no `ttl`, as a duration.
   *
   * @defaultValue `'60s'`
   */
  readonly defaultTtl?: Duration
  /**
   * Whether responses of `@Cache` routes have the header `X-Cache` and, if they come from the cache, the header `Age`.
   *
   * @defaultValue `true`
   */
  readonly headers?: boolean
}

type Option = CacheOptions | undefined

const NAMES: OptionNames<CacheOptions> = { store: true, defaultTtl: true, headers: true }
const METHODS = ['get', 'set', 'delete', 'clear', 'versions', 'invalidate'] as const
const TTL_SECONDS = 60

/** The `cache` option. */
export const cacheGroup: OptionGroup<Option, ResolvedCache> = {
  unknown: (cache) => unknownNames('cache.', cache, NAMES),
  check,
  resolve(cache) {
    const { store = null, defaultTtl = TTL_SECONDS, headers: hasHeaders = true } = cache ?? {}
    const defaultTtlMs = 1000 * (toSeconds(defaultTtl) ?? TTL_SECONDS)
    return Object.freeze({ store, defaultTtlMs, hasHeaders })
  },
}

function check(cache: Option): Problem[] {
  if (cache === undefined) return []
  if (typeof cache !== 'object' || cache === null) {
    return [invalid('cache', `It is ${String(cache)}.`, 'Pass { store, defaultTtl, headers }.')]
  }
  const { store, defaultTtl, headers } = cache
  const problems: Problem[] = []
  const missing = METHODS.find(
    (name) => typeof (store as unknown as Record<string, unknown>)?.[name] !== 'function',
  )
  if (store !== undefined && missing !== undefined) {
    const remedy = 'Pass memoryCache(), redisCache(…), or your own CacheStore.'
    problems.push(invalid('cache.store', `It has no method ${missing}.`, remedy))
  }
  if (defaultTtl !== undefined && toSeconds(defaultTtl) === undefined) {
    const remedy = "Pass seconds (0 or more), or a string such as '90s'."
    problems.push(invalid('cache.defaultTtl', `${shown(defaultTtl)} is not a duration.`, remedy))
  }
  if (headers !== undefined && typeof headers !== 'boolean') {
    problems.push(invalid('cache.headers', 'It is not a boolean.', 'Pass true or false.'))
  }
  return problems
}

/** The `cache` option, resolved. */
export interface ResolvedCache {
  /** `null` for the default store, which keeps entries in the memory of this process. */
  readonly store: CacheStore | null
  readonly defaultTtlMs: number
  /** Whether responses have the headers `X-Cache` and `Age`. */
  readonly hasHeaders: boolean
}

/**
 * Returns a time to live in milliseconds.
 *
 * @throws TypeError when the value is neither a number nor a string; RangeError when the value is negative, not finite,
 * or has an unknown unit.
 */
export function ttlMs(ttl: Duration, what: string): number {
  if (typeof ttl !== 'number' && typeof ttl !== 'string') {
    throw new TypeError(
      `${what}: the ttl is ${String(ttl)}. Pass seconds, or a string such as '90s'.`,
    )
  }
  const seconds = toSeconds(ttl)
  if (seconds === undefined) {
    throw new RangeError(
      `${what}: the ttl ${JSON.stringify(ttl)} is not a duration. Pass seconds (0 or more), or a string such as '90s'.`,
    )
  }
  return seconds * 1000
}
