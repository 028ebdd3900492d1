import type { Metric } from '../../contracts/reports.js'
import { type CacheStats, tenantKey } from './cache-engine.js'
import { type CacheParts, ScopedCache } from './scoped-cache.js'

interface Running {
  readonly manager: CacheManager
  /** Whether the current code is handling a request of the manager's application. */
  readonly isCurrent: () => boolean
}

/** The managers of all running applications in this process, the newest first. */
const running: Running[] = []

/**
 * The application's cache. Inject it by its class, or call `CacheManager.getInstance()` where injection is not
 * available.
 *
 * @example
 * class Products {
 *   private readonly cache = inject(CacheManager)
 *   list = () => this.cache.getOrSet('products', () => this.load(), { ttl: '5m' })
 * }
 */
export class CacheManager extends ScopedCache {
  /** Only the application calls this. Inject `CacheManager` instead. */
  constructor(parts: CacheParts) {
    super(parts, null, '')
  }

  /**
   * Returns the cache of the running application. If several applications are running in this process, and the
   * application that is handling the current request uses tenants, the result is its cache. Otherwise, the result is
   * the cache of the application that started last. In a process with several applications, inject `CacheManager`
   * instead.
   *
   * @throws Error when no application is running.
   */
  static getInstance(): CacheManager {
    const found = running.find(({ isCurrent }) => isCurrent()) ?? running[0]
    if (found !== undefined) return found.manager
    throw new Error(
      'CacheManager.getInstance(): no application is running. Start one first (await app.init()), or inject CacheManager.',
    )
  }

  /**
   * Returns the part of the cache that belongs to one tenant. Its keys begin with `<tenant>:`, and `clear` and
   * `invalidateTags` affect only that tenant. Code that runs for another tenant must not use this part.
   *
   * @param id The tenant ID. Default: the current tenant.
   * @throws Error when `id` is omitted and there is no current tenant, or when `id` is empty; HttpError 500
   * `TENANT_UNAUTHORIZED` when `tenant.authorize` has not yet allowed the request to act for the tenant.
   * @example
   * await cache.forTenant('acme').clear()
   */
  forTenant(id: string | undefined = this.parts.currentTenant()): ScopedCache {
    this.parts.refuseClaim(id)
    if (typeof id === 'string' && id !== '') {
      return new ScopedCache(this.parts, id, tenantKey(id, ''))
    }
    throw new Error(
      'CacheManager.forTenant(): there is no tenant ID. Pass a non-empty ID, or call forTenant() in a request that specifies a tenant.',
    )
  }

  /** Returns the cache statistics of this process since the application started. */
  stats(): CacheStats {
    return { ...this.parts.engine.counts }
  }
}

/** Registers the manager of an application that has started. */
export function startManager(manager: CacheManager, isCurrent: () => boolean): void {
  running.unshift({ manager, isCurrent })
}

/** Removes the manager of an application that is closing. */
export function stopManager(manager: CacheManager): void {
  const index = running.findIndex((each) => each.manager === manager)
  if (index >= 0) running.splice(index, 1)
}

/** The metrics of an application's cache. */
export function cacheMetrics(manager: Pick<CacheManager, 'stats'>): Metric[] {
  return [
    {
      name: 'cache_reads_total',
      help: 'Cache reads, by result.',
      type: 'counter',
      read: () =>
        Object.entries(manager.stats()).map(([result, value]) => ({ labels: { result }, value })),
    },
  ]
}
