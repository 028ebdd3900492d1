import type { CacheStore } from '../contracts/cache.js'
import type { Clock } from '../contracts/clock.js'
import type { Request } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import type { RouteSetup } from '../contracts/plugin.js'
import type { Provider } from '../contracts/provider.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { StepFactory as PublicStage } from '../contracts/steps.js'
import { type DeclaredCache, declareCache } from '../features/cache/build-cache.js'
import type { RunningLimits } from '../features/rate-limit/limit-stage.js'
import { hasLimits } from '../features/rate-limit/plan-limits.js'
import {
  actingTenant,
  actsForAll,
  refuseClaim,
  TenantContext,
} from '../features/tenancy/tenant-context.js'
import { usesTenants } from '../features/tenancy/tenant-rules.js'
import type { RequestScopes } from '../http/request-scopes.js'
import { authResultOf } from '../http/request-state.js'
import { internalStep, type StepFactory } from '../step/step.js'
import type { Settings } from './settings/settings.js'
import type { RouterTenancy, RunningTenancy } from './tenancy/start-tenancy.js'

/**
 * The features that have places of their own among the steps of a route, before the application starts: tenants, rate
 * limits and the cache. All other features are plugins: see `loadPlugins`.
 */
export interface Features {
  /** The providers that features add. */
  readonly providers: readonly Provider[]
  /**
   * Prepares the features that the routes use, before the first request. Loads and opens nothing for features that no
   * route uses.
   */
  start(input: FeatureInput): Promise<RunningFeatures>
}

/** The input of the features when an application starts. */
export interface FeatureInput {
  readonly model: AppModel
  readonly logger: Logger
}

/** The parts that features add to the processing of requests. */
export interface RunningFeatures {
  /** Runs before the application's middlewares; `null` if no feature needs it. */
  readonly enter: RunningTenancy['enter'] | null
  /** Wraps the application's own middlewares; `null` if no feature needs it. */
  readonly wrapMiddlewares: RunningTenancy['wrapMiddlewares'] | null
  /** The checks for routers that require a tenant; `null` without tenants. */
  readonly ofRouters: RouterTenancy | null
  /** The request scopes; `null` if requests have none. */
  readonly scopes: RequestScopes | null
  /** Whether requests have tenants. */
  readonly usesTenants: boolean
  /** Runs before the response to a request that has no route; `null` if no feature needs it. */
  readonly ipRateLimit: StepFactory | null
  /** The features that add steps to routes. */
  readonly stepSources: readonly StepSource[]
  /** Whether a feature adds headers to responses. */
  readonly addsHeaders: boolean
  /** Closes the stores. Call this method after the last request. */
  close(): Promise<void>
}

/** The input of the features, besides the options. */
export interface FeatureSurroundings {
  readonly clock: Clock
  /** Changes the store of the cache. */
  readonly wrapStore: (store: CacheStore) => CacheStore
  /** Changes the stage of each rate limit. */
  readonly wrapLimit: (limit: PublicStage) => PublicStage
}

/** Lists these features, without running code of the application. */
export function declareFeatures(
  settings: Settings,
  { clock, wrapStore, wrapLimit }: FeatureSurroundings,
): Features {
  const host = Object.freeze({})
  const isCurrent = () => TenantContext.current()?.host === host
  const whose = { currentTenant: actingTenant, actsForAll, refuseClaim, isCurrent }
  // Only headers are needed, because the cache already varies by the `Cookie` header.
  const credentials = settings.auth.credentials.headers
  const cache = declareCache({ settings: settings.cache, credentials, clock, ...whose, wrapStore })
  return {
    providers: cache.providers,
    start: (input) => startFeatures(settings, { ...input, clock, host, cache, wrapLimit }),
  }
}

interface StartConfig extends FeatureInput, Pick<FeatureSurroundings, 'clock' | 'wrapLimit'> {
  /** Identifies the application in the scopes of its requests. */
  readonly host: object
  readonly cache: DeclaredCache
}

async function startFeatures(settings: Settings, config: StartConfig): Promise<RunningFeatures> {
  const { model } = config
  const tenancy = usesTenants(settings.tenant, model) ? await loadTenancy(settings, config) : null
  const limits = hasLimits(settings.rateLimit, model) ? await loadLimits(settings, config) : null
  const cache = await config.cache.start(config).catch(async (error) => {
    await limits?.close()
    throw error
  })
  return {
    enter: tenancy?.enter ?? null,
    wrapMiddlewares: tenancy?.wrapMiddlewares ?? null,
    ofRouters: tenancy?.ofRouters ?? null,
    scopes: tenancy?.scopes ?? null,
    usesTenants: tenancy !== null,
    ipRateLimit: limits?.unmatched == null ? null : internalStep(limits.unmatched),
    stepSources: [
      ...(tenancy === null ? [] : [{ name: 'tenant', steps: tenancy.steps }]),
      ...(limits === null ? [] : [{ name: 'rateLimit', steps: limits.steps }]),
      { name: 'cache', steps: cache.steps },
    ],
    addsHeaders: limits !== null || cache.addsHeaders,
    close: async () => {
      await Promise.all([limits?.close(), cache.close()])
    },
  }
}

async function loadTenancy({ tenant }: Settings, config: StartConfig): Promise<RunningTenancy> {
  const { startTenancy } = await import('./tenancy/start-tenancy.js')
  const tenantsOf = (req: Request) => authResultOf(req)?.tenants
  return startTenancy({ ...config, settings: tenant, tenantsOf })
}

async function loadLimits({ rateLimit }: Settings, config: StartConfig): Promise<RunningLimits> {
  const { startLimits } = await import('../features/rate-limit/limit-stage.js')
  return await startLimits(rateLimit, config)
}

/** A feature that adds steps to routes, like a plugin. */
export interface StepSource {
  readonly name: string
  /** Returns stages by place, or `null` for a route without steps. Boot calls this function once for each route. */
  readonly steps: (route: RouteModel, app: RouteSetup) => object | null | undefined
}
