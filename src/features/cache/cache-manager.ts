import type { CacheStats } from './cache-engine.js'
import { type CacheParts, ScopedCache } from './scoped-cache.js'
import { tenantKey } from './tenant-key.js'

interface Running {
  readonly manager: CacheManager
  /** Whether the code that asks runs for a request of the manager's application. */
  readonly isCurrent: () => boolean
}

/** Of every application that runs in this process, the newest first. */
const running: Running[] = []

/**
 * The cache of the application, for programs. Injected by its class; or, where nothing is injected, `CacheManager.getInstance()`.
 *
 * @example
 * class Products {
 *   private readonly cache = inject(CacheManager)
 *   list = () => this.cache.getOrSet('products', () => this.load(), { ttl: '5m' })
 * }
 */
export class CacheManager extends ScopedCache {
  /** Made by the application; inject it. */
  constructor(parts: CacheParts) {
    super(parts, null, '')
  }

  /**
   * The cache of the running application. Where several run, that of the request that is being answered, as far as its application
   * has tenants; else the one that started last. Inject `CacheManager` where that matters.
   *
   * @throws Error when no application runs.
   */
  static getInstance(): CacheManager {
    const found = running.find(({ isCurrent }) => isCurrent()) ?? running[0]
    if (found !== undefined) return found.manager
    throw new Error(
      'CacheManager.getInstance(): no application is running. Start one first (await app.init()), or inject CacheManager.',
    )
  }

  /**
   * The part of the cache that belongs to one tenant: keys are put behind `<tenant>:`, and `clear` and `invalidateTags` reach no
   * further. Code that runs for another tenant may not use it.
   *
   * @param id Default: the tenant that the code runs for.
   * @throws Error when there is none; HttpError 500 `TENANT_UNAUTHORIZED` before `tenant.authorize` has let the request act for it.
   * @example
   * await cache.forTenant('acme').clear()
   */
  forTenant(id: string | undefined = this.parts.currentTenant()): ScopedCache {
    this.parts.refuseClaim(id)
    if (typeof id === 'string' && id !== '') {
      return new ScopedCache(this.parts, id, tenantKey(id, ''))
    }
    throw new Error(
      'CacheManager.forTenant(): this code runs without a tenant. Give an id, or call it in a request that names a tenant.',
    )
  }

  /** What this process has read since the application started. */
  stats(): CacheStats {
    return { ...this.parts.engine.counts }
  }
}

/** Lists a manager as that of a running application. */
export function startManager(manager: CacheManager, isCurrent: () => boolean): void {
  running.unshift({ manager, isCurrent })
}

/** Takes it off the list. */
export function stopManager(manager: CacheManager): void {
  const index = running.findIndex((each) => each.manager === manager)
  if (index >= 0) running.splice(index, 1)
}
