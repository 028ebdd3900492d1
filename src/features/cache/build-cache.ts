import type { CacheStore } from '../../contracts/cache.js'
import type { Clock } from '../../contracts/clock.js'
import type { Logger } from '../../contracts/logger.js'
import type { Provider } from '../../contracts/provider.js'
import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import type { CurrentTenant } from '../../contracts/tenant.js'
import { toSeconds } from '../../http/units.js'
import type { SettlingStage } from '../../step/step.js'
import { CacheEngine } from './cache-engine.js'
import { CacheManager, startManager, stopManager } from './cache-manager.js'
import type { ResolvedCache } from './cache-options.js'
import { cacheStage } from './cache-stage.js'
import { memoryCache } from './memory-cache.js'

/** What the cache of an application is made of. */
export interface CacheConfig {
  readonly settings: ResolvedCache
  readonly clock: Clock
  readonly currentTenant: CurrentTenant
  /** Whether code that runs for no tenant may read what belongs to one. Default: it may. */
  readonly actsForAll?: () => boolean
  readonly refuseClaim?: (tenant: string | undefined) => void
  /** Whether the code that asks runs for a request of this application. Default: nobody knows. */
  readonly isCurrent?: () => boolean
  /** Changes the store before anything uses it. Default: it stays as it is. */
  readonly wrapStore?: (store: CacheStore) => CacheStore
}

/** The cache of an application that has not started. */
export interface DeclaredCache {
  readonly providers: readonly Provider[]
  start(input: { readonly model: AppModel; readonly logger: Logger }): Promise<RunningCache>
}

/** The cache of one that has. */
export interface RunningCache {
  readonly stageOf: (route: RouteModel) => SettlingStage | null
  readonly addsHeaders: boolean
  close(): Promise<void>
}

/** Names of headers are a handler's to choose, and may be without end. */
const MOST_WARNINGS = 20

/**
 * Makes the manager, which providers may ask for before anything is opened or loaded. The engine behind the manager, and its store,
 * are made for the first route with `@Cache`, or for the first call of the manager.
 */
export function declareCache(config: CacheConfig): DeclaredCache {
  const { clock, currentTenant, actsForAll = () => true, isCurrent = () => false } = config
  const { refuseClaim = () => {}, wrapStore = (store) => store, settings } = config
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
      return {
        stageOf: (route) =>
          isCached(route)
            ? stageOf(route, { engine: engine.get(), hasNotes, logger: input.logger })
            : null,
        addsHeaders: isUsed && hasNotes,
        async close() {
          stopManager(manager)
          await engine.close()
        },
      }
    },
  }
}

/** The engine of a cache, made when it is first used. */
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
    // It keeps nothing then, as one that was used before it was closed.
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
  readonly logger: Logger
}

function stageOf(route: RouteModel, { engine, hasNotes, logger }: StageConfig): SettlingStage {
  const { ttl, staleWhileRevalidate } = route.cache ?? {}
  const lifetime = { freshMs: msOf(ttl), staleMs: msOf(staleWhileRevalidate) }
  const said = new Set<string>()
  const warn = (message: string) => {
    if (said.size >= MOST_WARNINGS || said.has(message)) return
    said.add(message)
    logger.warn({ route: route.name }, `@Cache of ${route.name}: ${message}`)
  }
  return cacheStage({ route, engine, lifetime, hasNotes, warn })
}

/** A ttl of 0 keeps nothing, so it takes no step. */
function isCached({ cache }: RouteModel): boolean {
  return msOf(cache?.ttl) > 0
}

function msOf(duration: number | string | undefined): number {
  return 1000 * (toSeconds(duration ?? 0) ?? 0)
}
