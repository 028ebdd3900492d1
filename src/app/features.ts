import type { CacheStore } from '../contracts/cache.js'
import type { Clock } from '../contracts/clock.js'
import type { Logger } from '../contracts/logger.js'
import type { OperationContributor } from '../contracts/openapi.js'
import type { Provider } from '../contracts/provider.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { type DeclaredCache, declareCache } from '../features/cache/build-cache.js'
import { checkLimitPlan } from '../features/rate-limit/check-limit-plan.js'
import { limitFacts, limitResponses } from '../features/rate-limit/limit-responses.js'
import { startLimits } from '../features/rate-limit/start-limits.js'
import { buildTenancy, type Tenancy } from '../features/tenancy/build-tenancy.js'
import { checkRouters } from '../features/tenancy/check-routers.js'
import { warnOfTenancy } from '../features/tenancy/check-tenancy.js'
import {
  actingTenant,
  actsForAll,
  refuseClaim,
  TenantContext,
} from '../features/tenancy/tenant-context.js'
import { tenantFacts, tenantResponses } from '../features/tenancy/tenant-responses.js'
import type { RequestScopes } from '../http/request-scopes.js'
import { NO_STAGES, type RouteStages } from '../pipeline/compile-route.js'
import type { OnError, RunRoute, Stage } from '../step/step.js'
import type { Settings } from './settings/settings.js'

/** The features of an application before it starts. */
export interface Features {
  /** What they bring along for injection. */
  readonly providers: readonly Provider[]
  /** Makes ready what the routes use, before the first request; nothing is loaded or opened for what they do not. */
  start(input: FeatureInput): Promise<RunningFeatures>
}

/** What is known once an application starts. */
export interface FeatureInput {
  readonly model: AppModel
  readonly logger: Logger
}

/** What features put around requests. */
export interface RunningFeatures {
  /** Stands before all middlewares; `null` where nothing does. */
  readonly enter: ((ends: { run: RunRoute; onError: OnError }) => RunRoute) | null
  /** Stands around the application's own middlewares; `null` where nothing does. */
  readonly keepMiddlewares: Tenancy['keepMiddlewares'] | null
  /** What is asked before routers that need a tenant; `null` where there are none. */
  readonly ofRouters: Pick<Tenancy, 'stagesOfRouters' | 'noteAdmission'> | null
  /** `null` where requests have no scopes. */
  readonly scopes: RequestScopes | null
  /** Whether requests have tenants. */
  readonly usesTenants: boolean
  /** Stands before the answers to requests that have no route. */
  readonly admission: Stage | null
  readonly stagesOf: (route: RouteModel) => RouteStages
  /** Whether any of them adds headers to answers. */
  readonly addsHeaders: boolean
  /** Lets go of everything; after the last request. */
  close(): Promise<void>
}

/** What features take from outside the options. */
export interface FeatureSurroundings {
  readonly clock: Clock
  /** Changes the store of the cache. */
  readonly wrapStore: (store: CacheStore) => CacheStore
}

/** Says what features an application has. Runs nothing. */
export function declareFeatures(
  settings: Settings,
  { clock, wrapStore }: FeatureSurroundings,
): Features {
  const host = Object.freeze({})
  const isCurrent = () => TenantContext.current()?.host === host
  const whose = { currentTenant: actingTenant, actsForAll, refuseClaim, isCurrent }
  const cache = declareCache({ settings: settings.cache, clock, ...whose, wrapStore })
  return {
    providers: cache.providers,
    start: (input) => startFeatures(settings, { ...input, clock, host, cache }),
  }
}

/** What features add to the document. */
export function featureContributors({ tenant, rateLimit }: Settings): OperationContributor[] {
  return [tenantResponses(tenant), limitResponses(rateLimit)]
}

/** Everything beside the model that `featureContributors` depends on, as data. */
export function featureFacts({ tenant, rateLimit }: Settings): object {
  return { tenant: tenantFacts(tenant), limits: limitFacts(rateLimit) }
}

/** What is wrong with what features are told by decorators and settings together. */
export function checkFeatures(settings: Settings, model: AppModel): Problem[] {
  const { tenant, middlewares, auth, rateLimit, trustProxy } = settings
  const setting = {
    ...model,
    tenant,
    hasMiddlewares: middlewares.length > 0,
    isProduction: process.env['NODE_ENV'] === 'production',
  }
  const routers = checkRouters({
    middlewares,
    hasTenants: tenant !== null,
    hasGuard: auth.guard !== null,
  })
  const limits = checkLimitPlan({ rateLimit, trustsEveryProxy: trustProxy === true }, model)
  return [...warnOfTenancy(setting), ...routers, ...limits]
}

interface StartConfig extends FeatureInput {
  readonly clock: Clock
  /** What the application is known by in the scopes of its requests. */
  readonly host: object
  readonly cache: DeclaredCache
}

async function startFeatures(settings: Settings, config: StartConfig): Promise<RunningFeatures> {
  const tenancy = buildTenancy({ ...config, settings: settings.tenant })
  const limits = await startLimits(settings.rateLimit, config)
  const cache = await config.cache.start(config).catch(async (error) => {
    await limits?.close()
    throw error
  })
  return {
    enter: tenancy?.enter ?? null,
    keepMiddlewares: tenancy?.keepMiddlewares ?? null,
    ofRouters: tenancy,
    scopes: tenancy?.scopes ?? null,
    usesTenants: tenancy !== null,
    admission: limits?.unmatched ?? null,
    stagesOf: (route) =>
      toStages({
        ...tenancy?.stagesOf(route),
        ...limits?.stagesOf(route),
        cache: cache.stageOf(route),
      }),
    addsHeaders: limits !== null || cache.addsHeaders,
    close: async () => {
      await Promise.all([limits?.close(), cache.close()])
    },
  }
}

/** A route that uses nothing is known by its stages being those of all such routes. */
function toStages(found: Partial<RouteStages>): RouteStages {
  const isUsed = Object.values(found).some((stage) => stage !== null)
  return isUsed ? { ...NO_STAGES, ...found } : NO_STAGES
}
