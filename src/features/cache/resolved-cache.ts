import type { CacheStore } from '../../contracts/cache.js'

/** The `cache` option, resolved. */
export interface ResolvedCache {
  /** `null` for the default: the memory of this process. */
  readonly store: CacheStore | null
  readonly defaultTtlMs: number
  /** Whether responses carry `X-Cache` and `Age`. */
  readonly hasHeaders: boolean
}
