import type { CacheStore } from '../../contracts/cache.js'
import type { Logger } from '../../contracts/logger.js'
import type { RouteSetup } from '../../contracts/plugin.js'
import type { Provider } from '../../contracts/provider.js'
import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import type { StepFactory } from '../../contracts/steps.js'
import type { Clock } from '../../di/token.js'
import { toSeconds } from '../../http/units.js'
import { CacheEngine } from './cache-engine.js'
import { CacheManager, startManager, stopManager } from './cache-manager.js'
import type { ResolvedCache } from './cache-options.js'
import type { cacheStage } from './cache-stage.js'
import { cacheOf } from './decorator.js'
import { memoryCache } from './memory-cache.js'

/** The configuration of an application's cache. */
export interface CacheConfig {
  readonly settings: ResolvedCache
  readonly clock: Clock
  /** The headers of `auth.credentials`, in lower case. Default: none. */
  readonly credentials?: readonly string[]
  /** Returns the tenant that the current code acts for. */
  readonly currentTenant: () => string | undefined
  /** Whether code without a tenant can read the entries of all tenants. If omitted, the result is always `true`. */
  readonly actsForAll?: () => boolean
  readonly refuseClaim?: (tenant: string | undefined) => void
  /** Whether the current code runs for a request of this application. If omitted, the result is always `false`. */
  readonly isCurrent?: () => boolean
  /** Wraps the store before its first use. If omitted, the store is not wrapped. */
  readonly wrapStore?: (store: CacheStore) => CacheStore
}

/** The cache of an application that has not started yet. */
export interface DeclaredCache {
  readonly providers: readonly Provider[]
  start(input: { readonly model: AppModel; readonly logger: Logger }): Promise<RunningCache>
}

/** The cache of an application that has started. */
export interface RunningCache {
  /** Returns the cache step of a route; `null` if the route needs no cache step. */
  readonly steps: (
    route: RouteModel,
    app: Pick<RouteSetup, 'respond'>,
  ) => { readonly cache: StepFactory } | null
  readonly addsHeaders: boolean
  close(): Promise<void>
}

/**
 * The maximum number of different warnings for each route. Without this maximum, a handler that sets many different
 * header names would cause many log lines.
 */
const MOST_WARNINGS = 20

/**
 * Creates the cache manager. Providers can inject the manager before the store is opened or even loaded. The engine and
 * the default store are created at boot if a route has `@Cache`, otherwise at the first call to the manager. If the
 * option `cache.store` is set, its store is always opened at boot.
 */
export function declareCache(config: CacheConfig): DeclaredCache {
  const { clock, currentTenant, actsForAll = () => true, isCurrent = () => false } = config
  const { refuseClaim = () => {}, wrapStore = (store) => store, settings } = config
  const { credentials = [] } = config
  let logger: Logger | undefined
  const lateLogger: Logger = {
    info: (facts, message) => logger?.info(facts, message),
    warn: (facts, message) => logger?.warn(facts, message),
    error: (facts, message) => logger?.error(facts, message),
  }
  const engine = new LazyEngine(() => {
    const store = wrapStore(settings.store ?? memoryCache())
    return new CacheEngine(store, { clock, logger: lateLogger })
  })
  const { defaultTtlMs } = settings
  const scope = { currentTenant, actsForAll, refuseClaim, defaultTtlMs }
  const manager = new CacheManager({
    ...scope,
    get engine() {
      return engine.get()
    },
  })
  return {
    providers: [{ token: CacheManager, useValue: manager }],
    async start(input) {
      logger = input.logger
      const isUsed = input.model.routes.some(isCached)
      if (isUsed || settings.store !== null) await engine.get().open()
      startManager(manager, isCurrent)
      const hasNotes = settings.hasHeaders
      const createStage = isUsed ? (await import('./cache-stage.js')).cacheStage : null
      return {
        steps(route, { respond }) {
          if (createStage === null || !isCached(route)) return null
          const shared = { engine: engine.get(), hasNotes, credentials, respond, createStage }
          return { cache: stageOf(route, { ...shared, logger: input.logger }) }
        },
        addsHeaders: isUsed && hasNotes,
        async close() {
          stopManager(manager)
          await engine.close()
        },
      }
    },
  }
}

/** A cache engine that is created on first use. */
class LazyEngine {
  readonly #make: () => CacheEngine
  #made: CacheEngine | undefined
  #isClosed = false

  constructor(make: () => CacheEngine) {
    this.#make = make
  }

  get(): CacheEngine {
    if (this.#made !== undefined) return this.#made
    this.#made = this.#make()
    // An engine that is created after `close` must not store anything.
    if (this.#isClosed) void this.#made.close()
    return this.#made
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#made?.close()
  }
}

interface StageConfig {
  readonly engine: CacheEngine
  readonly hasNotes: boolean
  readonly credentials: readonly string[]
  readonly respond: RouteSetup['respond']
  readonly logger: Logger
  /** The function `cacheStage`. Its module is loaded only if a route has `@Cache`. */
  readonly createStage: typeof cacheStage
}

function stageOf(route: RouteModel, config: StageConfig): StepFactory {
  const { logger, createStage, ...shared } = config
  const lifetime = lifetimeOf(route)
  const logged = new Set<string>()
  const warn = (message: string) => {
    if (logged.size >= MOST_WARNINGS || logged.has(message)) return
    logged.add(message)
    logger.warn({ route: route.name }, `@Cache of ${route.name}: ${message}`)
  }
  return createStage({ ...shared, route, lifetime, warn })
}

/** Whether a route's responses are cached. With a `ttl` of 0, nothing is stored, so the route needs no cache step. */
export function isCached(route: RouteModel): boolean {
  return msOf(cacheOf(route)?.ttl) > 0
}

/** How long a response is fresh, and how long after that it can be sent as a stale response, in milliseconds. */
export function lifetimeOf(route: RouteModel): { freshMs: number; staleMs: number } {
  const { ttl, staleWhileRevalidate } = cacheOf(route) ?? {}
  return { freshMs: msOf(ttl), staleMs: msOf(staleWhileRevalidate) }
}

function msOf(duration: number | string | undefined): number {
  return 1000 * (toSeconds(duration ?? 0) ?? 0)
}
