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
  /** What a harness puts before the store; `undefined` where there is none. */
  readonly wrapStore?: ((store: CacheStore) => CacheStore) | undefined
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

/** Makes the manager, which providers may ask for before anything is opened or loaded. */
export function declareCache(config: CacheConfig): DeclaredCache {
  const { clock, currentTenant, actsForAll = () => true, isCurrent = () => false } = config
  const { refuseClaim = () => {} } = config
  const { settings } = config
  let logger: Logger | undefined
  const lateLogger: Logger = {
    info: (facts, message) => logger?.info(facts, message),
    warn: (facts, message) => logger?.warn(facts, message),
    error: (facts, message) => logger?.error(facts, message),
  }
  const own = settings.store ?? memoryCache()
  const store = config.wrapStore?.(own) ?? own
  const engine = new CacheEngine(store, { clock, logger: lateLogger })
  const { defaultTtlMs } = settings
  const manager = new CacheManager({ engine, currentTenant, actsForAll, refuseClaim, defaultTtlMs })
  return {
    providers: [{ token: CacheManager, useValue: manager }],
    async start(input) {
      logger = input.logger
      const isUsed = input.model.routes.some(isCached)
      if (isUsed || settings.store !== null) await engine.open()
      startManager(manager, isCurrent)
      const hasNotes = settings.hasHeaders
      return {
        stageOf: (route) => stageOf(route, { engine, hasNotes, logger: input.logger }),
        addsHeaders: isUsed && hasNotes,
        async close() {
          stopManager(manager)
          await engine.close()
        },
      }
    },
  }
}

interface StageConfig {
  readonly engine: CacheEngine
  readonly hasNotes: boolean
  readonly logger: Logger
}

function stageOf(
  route: RouteModel,
  { engine, hasNotes, logger }: StageConfig,
): SettlingStage | null {
  if (!isCached(route)) return null
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
