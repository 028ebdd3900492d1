import type { Clock } from '../contracts/clock.js'
import type { RequestHandler } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import type { OperationContributor } from '../contracts/openapi.js'
import type { Provider } from '../contracts/provider.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import { declareCache, type RunningCache } from '../features/cache/build-cache.js'
import { buildTenancy, type Tenancy } from '../features/tenancy/build-tenancy.js'
import { tenantAnswers, tenantFacts } from '../features/tenancy/tenant-answers.js'
import { getTenantId, TenantContext } from '../features/tenancy/tenant-context.js'
import type { RequestScopes } from '../http/request-scopes.js'
import type { Stage } from '../http/step.js'
import { NO_STAGES, type RouteStages } from '../pipeline/compile-route.js'
import type { Harness } from './harness.js'
import type { AppOptions } from './options.js'

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
  /** Run before the application's own. */
  readonly middlewares: readonly RequestHandler[]
  /** Stands around each of the application's own middlewares; `null` where nothing does. */
  readonly wrapMiddleware: ((middleware: RequestHandler) => RequestHandler) | null
  /** `null` where requests have no scopes. */
  readonly scopes: RequestScopes | null
  /** Stands before the answers to requests that have no route. */
  readonly admission: Stage | null
  readonly stagesOf: (route: RouteModel) => RouteStages
  /** Whether any of them adds headers to answers. */
  readonly addsHeaders: boolean
  /** Lets go of everything; after the last request. */
  close(): Promise<void>
}

/** Says what features an application has. Runs nothing. */
export function declareFeatures(
  options: AppOptions,
  clock: Clock,
  wrapStore?: Harness['wrapStore'],
): Features {
  const host = Object.freeze({})
  const isCurrent = () => TenantContext.current()?.host === host
  const settings = options.cache
  const cache = declareCache({ settings, clock, currentTenant: getTenantId, isCurrent, wrapStore })
  return {
    providers: cache.providers,
    async start(input) {
      const tenancy = buildTenancy({ ...input, clock, host, options: options.tenant })
      return runningFeatures(tenancy, await cache.start(input))
    },
  }
}

/** What features add to the document. */
export function featureContributors(options: AppOptions): OperationContributor[] {
  return [tenantAnswers(options.tenant)]
}

/** What they add depends on, as plain data. */
export function featureFacts(options: AppOptions): object {
  return { tenant: tenantFacts(options.tenant) }
}

function runningFeatures(tenancy: Tenancy | null, cache: RunningCache): RunningFeatures {
  return {
    middlewares: tenancy === null ? [] : [tenancy.middleware],
    wrapMiddleware: tenancy?.wrapMiddleware ?? null,
    scopes: tenancy?.scopes ?? null,
    admission: null,
    stagesOf: (route) => {
      const own = { ...tenancy?.stagesOf(route), cache: cache.stageOf(route) }
      const stages = { ...NO_STAGES, ...own }
      return Object.values(stages).every((stage) => stage === null) ? NO_STAGES : stages
    },
    addsHeaders: cache.addsHeaders,
    close: () => cache.close(),
  }
}
