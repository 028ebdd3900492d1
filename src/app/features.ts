import type { CacheStore } from '../contracts/cache.js'
import type { Clock } from '../contracts/clock.js'
import type { Logger } from '../contracts/logger.js'
import type { Metric } from '../contracts/metrics.js'
import type { Plugin } from '../contracts/plugin.js'
import type { Provider } from '../contracts/provider.js'
import type { ContractOf } from '../contracts/route-contract.js'
import type { AppModel } from '../contracts/route-model.js'
import type { Stage as PublicStage } from '../contracts/steps.js'
import type { Problem } from '../errors/config-error.js'
import { type DeclaredCache, declareCache } from '../features/cache/build-cache.js'
import { CacheManager } from '../features/cache/cache-manager.js'
import { cacheMetrics } from '../features/cache/cache-metrics.js'
import { checkPerTenant } from '../features/capacity/capacity-options.js'
import type { CapsuleSettings } from '../features/capsules/capsule-folder.js'
import type { CapsuleWriter } from '../features/capsules/capsule-writer.js'
import { Health } from '../features/health/health.js'
import {
  checkIdempotency,
  idempotencyContract,
  idempotencyHeaders,
  usesIdempotency,
} from '../features/idempotency/idempotent.js'
import { Metrics } from '../features/metrics/metrics.js'
import type { MetricsSources } from '../features/metrics/metrics-plugin.js'
import { pagesContract, pagesHeaders } from '../features/pages/pages-contract.js'
import { policiesContract } from '../features/policies/policies-contract.js'
import { checkLimitPlan } from '../features/rate-limit/check-limit-plan.js'
import { limitFacts, limitResponses } from '../features/rate-limit/limit-responses.js'
import { startLimits } from '../features/rate-limit/start-limits.js'
import type { RecordTaker } from '../features/records/records-plugin.js'
import { buildTenancy, type Tenancy, usesTenants } from '../features/tenancy/build-tenancy.js'
import { warnOfTenancy } from '../features/tenancy/check-tenancy.js'
import {
  actingTenant,
  actsForAll,
  refuseClaim,
  TenantContext,
} from '../features/tenancy/tenant-context.js'
import { tenantFacts, tenantResponses } from '../features/tenancy/tenant-responses.js'
import {
  checkVersioned,
  usesVersions,
  versionedContract,
  versionedHeaders,
} from '../features/versioned/versioned.js'
import { admissionOf } from '../http/admission.js'
import type { RequestScopes } from '../http/request-scopes.js'
import { OtherDenials } from '../pipeline/log-denials.js'
import { ownStage } from '../step/own-stage.js'
import type { OnError, RunRoute, Stage, Step } from '../step/step.js'
import type { DescribedRoutes } from './contract/documented-by-route.js'
import { type DevReport, findDevReport } from './dev/dev-report.js'
import { DEFAULT_CAPSULES } from './settings/records-options.js'
import type { Settings } from './settings/settings.js'
import type { StepSource } from './step-source.js'
import { checkRouters } from './tenancy/check-routers.js'
import { returnInOwnContext, wrapMiddlewares } from './tenancy/keep-scopes.js'
import { noteAdmission } from './tenancy/tenant-router.js'
import { findWorkerLink } from './worker-link.js'

/** The features of an application before it starts. */
export interface Features {
  /** The providers that features add. */
  readonly providers: readonly Provider[]
  /**
   * Prepares the features that the routes use, before the first request. It loads and opens nothing for features that
   * no route uses.
   */
  start(input: FeatureInput): Promise<RunningFeatures>
}

/** The input of the features when an application starts. */
export interface FeatureInput {
  readonly model: AppModel
  readonly logger: Logger
}

/** The parts of a request's way that features add. */
export interface RunningFeatures {
  /** Runs before all middlewares; `null` if there is nothing to run. */
  readonly enter: ((ends: { run: RunRoute; onError: OnError }) => RunRoute) | null
  /** Wraps the application's own middlewares; `null` if there is nothing to wrap them in. */
  readonly wrapMiddlewares: typeof wrapMiddlewares | null
  /** For routers that need a tenant; `null` without tenants. */
  readonly ofRouters: RouterTenancy | null
  /** `null` if requests have no scopes. */
  readonly scopes: RequestScopes | null
  /** Whether requests have tenants. */
  readonly usesTenants: boolean
  /** Runs before the response to a request that has no route; `null` if there is nothing to run. */
  readonly admission: Stage | null
  /** The features that add steps to routes. */
  readonly stepSources: readonly StepSource[]
  /** Whether a feature adds headers to responses. */
  readonly addsHeaders: boolean
  /** Closes the stores. Call it after the last request. */
  close(): Promise<void>
}

/** How an application admits requests to routers that need a tenant. */
export interface RouterTenancy {
  /** The stages before such a router; `null` for a stage that the application does not use. */
  readonly stages: Readonly<Record<'claim' | 'tenant' | 'membership', Stage | null>>
  /** Sets the step that decides about admission. Only its result `true` admits the request. */
  readonly noteAdmission: (admit: Step) => void
}

/** The input of the features besides the options. */
export interface FeatureSurroundings {
  readonly clock: Clock
  /** Changes the store of the cache. */
  readonly wrapStore: (store: CacheStore) => CacheStore
  /** Changes the stage of each rate limit. */
  readonly wrapLimit: (limit: PublicStage) => PublicStage
}

/** Lists the features of an application. It runs no code of the application. */
export function declareFeatures(
  settings: Settings,
  { clock, wrapStore, wrapLimit }: FeatureSurroundings,
): Features {
  const host = Object.freeze({})
  const isCurrent = () => TenantContext.current()?.host === host
  const whose = { currentTenant: actingTenant, actsForAll, refuseClaim, isCurrent }
  // The cache already varies by the header of cookies.
  const credentials = settings.auth.credentials.headers
  const cache = declareCache({ settings: settings.cache, credentials, clock, ...whose, wrapStore })
  return {
    providers: cache.providers,
    start: (input) => startFeatures(settings, { ...input, clock, host, cache, wrapLimit }),
  }
}

/** The parts of an application that plugins of features use. */
export interface PluginUses {
  /** Logs errors of guards that are not guards of routes. */
  readonly denials: OtherDenials
  /** The documented routes with which `blazon dev` compares responses. Default: it compares nothing. */
  readonly described?: () => DescribedRoutes
  /** The routes whose options load features. Default: none. */
  readonly model?: AppModel
}

/** The plugins of features whose steps run inside the steps of all plugins, such as the transaction of a request. */
export const INNER_PLUGINS: readonly string[] = ['idempotency', 'versioned']

/** The headers that features add to responses for clients to read. */
export function featureHeaders(model: AppModel): readonly string[] {
  return [...pagesHeaders(model), ...idempotencyHeaders(model), ...versionedHeaders(model)]
}

/**
 * Lists the plugins of an application and of its features. A feature is loaded only for an application that uses it.
 * The plugin of `capacity` is the first, because a refused request must cost nothing else.
 */
export async function allPlugins(
  settings: Settings,
  uses: PluginUses = { denials: new OtherDenials() },
): Promise<Plugin[]> {
  const { capacity, plugins } = settings
  const others = [...plugins, ...(await featurePlugins(settings, uses))]
  if (capacity === null) return others
  const { capacityPlugin } = await import('../features/capacity/capacity-plugin.js')
  return [capacityPlugin(capacity, { metricsOf: (get) => get(Metrics) }), ...others]
}

/** The features that are plugins. */
async function featurePlugins(
  { health, logs, metrics, records }: Settings,
  { denials, described, model = { routes: [], hasGuard: false } }: PluginUses,
): Promise<Plugin[]> {
  const plugins: Plugin[] = []
  if (usesIdempotency(model)) {
    const { idempotencyPlugin } = await import('../features/idempotency/idempotency-plugin.js')
    plugins.push(idempotencyPlugin())
  }
  if (usesVersions(model)) {
    const { versionedPlugin } = await import('../features/versioned/versioned-plugin.js')
    plugins.push(versionedPlugin(model))
  }
  if (health !== null) {
    const { healthPlugin } = await import('../features/health/health-plugin.js')
    plugins.push(healthPlugin(health, denials))
  }
  if (logs !== null) {
    const { requestLog } = await import('../features/logs/request-log.js')
    plugins.push(requestLog(logs))
  }
  if (metrics !== null) {
    const { metricsPlugin } = await import('../features/metrics/metrics-plugin.js')
    const features = await featureMetrics(health !== null)
    const { logDenial } = denials
    const share = findWorkerLink()?.shareMetrics
    plugins.push(metricsPlugin(metrics, { features, logDenial, share }))
  }
  const sink = findDevReport()
  if (records.kept !== null || records.capsules !== null || sink !== undefined) {
    const { recordsPlugin } = await import('../features/records/records-plugin.js')
    const taker = await takerOf(records, sink, described)
    plugins.push(recordsPlugin({ settings: records.kept, taker }))
  }
  if (sink !== undefined) {
    const { noticeFetch } = await import('./dev/notice-fetch.js')
    plugins.push(noticeFetch(sink))
  }
  return plugins
}

/** The metrics of the features of one application. */
async function featureMetrics(isChecked: boolean): Promise<MetricsSources['features']> {
  const ofHealth = isChecked ? await import('../features/health/health-metrics.js') : null
  let readiness: readonly Metric[] | undefined
  return (get) => {
    readiness ??= ofHealth?.healthMetrics(get(Health)) ?? []
    return [...cacheMetrics(get(CacheManager)), ...readiness]
  }
}

/**
 * The receiver of the records of requests; `undefined` if there is none. Its code is loaded here, because few
 * applications need it.
 */
async function takerOf(
  { capsules: settings, isOff }: Settings['records'],
  sink: DevReport | undefined,
  described: PluginUses['described'],
): Promise<RecordTaker | undefined> {
  const wanted = settings ?? (sink === undefined || isOff ? null : DEFAULT_CAPSULES)
  const capsules = wanted && (await capsulesOf(wanted))
  if (sink !== undefined && described !== undefined) {
    const { reportRecords } = await import('./dev/report-records.js')
    return reportRecords(sink, { described, capsules })
  }
  return capsules ?? undefined
}

async function capsulesOf(settings: CapsuleSettings): Promise<CapsuleWriter> {
  const { CapsuleWriter } = await import('../features/capsules/capsule-writer.js')
  return new CapsuleWriter(settings)
}

/** Lists the additions of features to the OpenAPI document. */
export function featureContracts({ tenant, rateLimit, capacity }: Settings): ContractOf[] {
  const contracts = [tenantResponses(tenant), limitResponses(rateLimit)]
  const refusals = capacity === null ? [] : [() => ({ errors: [503] })]
  return [
    ...contracts,
    ...refusals,
    pagesContract,
    policiesContract,
    idempotencyContract,
    versionedContract,
  ]
}

/** The settings that `featureContracts` depends on, as plain data. */
export function featureFacts({ tenant, rateLimit }: Settings): object {
  return { tenant: tenantFacts(tenant), limits: limitFacts(rateLimit) }
}

/** Finds problems between decorators, middlewares and the settings of tenants and rate limits. */
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
    hasGuard: auth.guards.length > 0,
  })
  const shares = checkPerTenant(settings.capacity, usesTenants(tenant, model))
  const limits = checkLimitPlan({ rateLimit, trustsEveryProxy: trustProxy === true }, model)
  return [
    ...warnOfTenancy(setting),
    ...routers,
    ...shares,
    ...limits,
    ...checkIdempotency(model),
    ...checkVersioned(model),
  ]
}

interface StartConfig extends FeatureInput, Pick<FeatureSurroundings, 'clock' | 'wrapLimit'> {
  /** Identifies the application in the scopes of its requests. */
  readonly host: object
  readonly cache: DeclaredCache
}

async function startFeatures(settings: Settings, config: StartConfig): Promise<RunningFeatures> {
  const tenancy = buildTenancy({
    ...config,
    settings: settings.tenant,
    tenantsOf: (req) => admissionOf(req)?.tenants,
  })
  const limits = await startLimits(settings.rateLimit, config)
  const cache = await config.cache.start(config).catch(async (error) => {
    await limits?.close()
    throw error
  })
  return {
    enter: tenancy === null ? null : (ends) => returnInOwnContext(tenancy.enter(ends)),
    wrapMiddlewares: tenancy === null ? null : wrapMiddlewares,
    ofRouters: tenancy === null ? null : routerTenancy(tenancy, config.host),
    scopes: tenancy?.scopes ?? null,
    usesTenants: tenancy !== null,
    admission: orNull(limits?.unmatched),
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

function routerTenancy({ stagesOfRouters }: Tenancy, host: object): RouterTenancy {
  const { claim, tenant, membership } = stagesOfRouters
  return {
    stages: { claim: orNull(claim), tenant: orNull(tenant), membership: orNull(membership) },
    noteAdmission: (admit) => noteAdmission(host, admit),
  }
}

function orNull(stage: PublicStage | null | undefined): Stage | null {
  return stage == null ? null : ownStage(stage)
}
