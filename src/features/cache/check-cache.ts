import type { CacheStore } from '../../contracts/cache.js'
import type { Duration } from '../../contracts/units.js'
import type { Problem } from '../../errors/config-error.js'
import { toSeconds } from '../../http/units.js'

/** The `cache` option. */
export interface CacheSettings {
  /** Where entries are kept. Default `memoryCache()`. */
  readonly store?: CacheStore
  /** How long `CacheManager` keeps what it is given no time for: seconds, or a string with a unit. Default 60 s. */
  readonly defaultTtl?: Duration
  /** Whether answers of `@Cache` routes carry `X-Cache` and `Age`. Default `true`. */
  readonly headers?: boolean
}

const METHODS = ['get', 'set', 'delete', 'clear', 'versions', 'invalidate'] as const

/** What is wrong with the `cache` option. */
export function checkCache(settings: CacheSettings | undefined): Problem[] {
  if (settings === undefined) return []
  if (typeof settings !== 'object' || settings === null) {
    return [invalid('cache', `It is ${String(settings)}.`, 'Give { store, defaultTtl, headers }.')]
  }
  const { store, defaultTtl, headers } = settings
  const problems: Problem[] = []
  const missing = METHODS.find(
    (name) => typeof (store as unknown as Record<string, unknown>)?.[name] !== 'function',
  )
  if (store !== undefined && missing !== undefined) {
    const remedy = 'Give memoryCache(), redisCache(…), or a CacheStore of your own.'
    problems.push(invalid('cache.store', `It has no method ${missing}.`, remedy))
  }
  if (defaultTtl !== undefined && toSeconds(defaultTtl) === undefined) {
    const remedy = "Give seconds, 0 or more, or '90s', '15m'."
    problems.push(invalid('cache.defaultTtl', `${shown(defaultTtl)} is not a duration.`, remedy))
  }
  if (headers !== undefined && typeof headers !== 'boolean') {
    problems.push(invalid('cache.headers', 'It is not a boolean.', 'Give true or false.'))
  }
  return problems
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

function invalid(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject, cause, remedy }
}
