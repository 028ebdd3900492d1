import type { Plugin } from '../contracts/plugin.js'
import type { Metric } from '../contracts/reports.js'
import type { ContractOf } from '../contracts/route-contract.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { CacheManager, cacheMetrics } from '../features/cache/cache-manager.js'
import { Health } from '../features/health/health.js'
import { FEATURES, type FeatureParts } from '../features/index.js'
import { Metrics } from '../features/metrics/metrics.js'
import { usesTenants } from '../features/tenancy/tenant-rules.js'
import { inWordsOfRoute } from '../model/check-route-options.js'
import type { FeatureOptions } from '../model/feature-options.js'
import { guardsOfRoute } from '../model/route-guards.js'
import { OtherDenials } from '../pipeline/log-failure.js'
import type { FeatureApp, KeptByWorker } from '../step/feature.js'
import type { DescribedRoutes } from './contract/documented-by-route.js'
import { loadRecords } from './dev/load-records.js'
import type { Settings } from './settings/settings.js'
import { findWorkerLink } from './worker-link.js'

/** The parts of an application that plugins of features use. */
export interface PluginUses {
  /** Logs errors of guards that do not protect routes. */
  readonly denials: OtherDenials
  /**
   * Returns the cookie keys, which a function in the options can provide at startup. If omitted, the keys in the
   * options are used.
   */
  readonly cookieKeys?: () => readonly string[]
  /** The documented routes with which `blazon dev` compares responses. If omitted, no response is compared. */
  readonly described?: () => DescribedRoutes
}

/**
 * Lists the plugins of an application and of its features, outermost first. A feature is loaded only for an application
 * that uses it. Tenants, rate limits and the cache are not plugins: `start-features.ts` starts them.
 */
export async function loadPlugins(
  settings: Settings,
  model: AppModel,
  uses: PluginUses = { denials: new OtherDenials() },
): Promise<Plugin[]> {
  const app = { ...appOf(settings, model), ...partsOf(settings, uses) }
  const load = async (isOutermost: boolean) => {
    const chosen = FEATURES.filter((each) => (each.isOutermost ?? false) === isOutermost)
    const plugins = await Promise.all(chosen.map((feature) => feature.load?.(app) ?? null))
    return plugins.filter((plugin) => plugin !== null)
  }
  const records = await loadRecords(settings, uses.described)
  return [...(await load(true)), ...settings.plugins, ...(await load(false)), ...records]
}

function appOf(settings: Settings, model: AppModel): FeatureApp<Settings> {
  return { settings, model, usesTenants: usesTenants(settings.tenant, model) }
}

function partsOf(settings: Settings, { denials, cookieKeys }: PluginUses): FeatureParts {
  return {
    denials,
    cookieKeys: cookieKeys ?? (() => settings.cookies.keys),
    metricsOf: (get) => get(Metrics),
    healthOf: (get) => get(Health),
    share: findWorkerLink()?.shareMetrics,
    async featureMetrics() {
      const isChecked = settings.health !== null
      const ofHealth = isChecked ? await import('../features/health/health-metrics.js') : null
      let readiness: readonly Metric[] | undefined
      return (get) => {
        readiness ??= ofHealth?.healthMetrics(get(Health)) ?? []
        return [...cacheMetrics(get(CacheManager)), ...readiness]
      }
    },
  }
}

/** Lists the functions of guards, features and plugins that return additions to the operations of routes. */
export function routeContracts(settings: Settings): ContractOf[] {
  const { guards } = settings.auth
  const ofGuards = guards.map((guard): ContractOf => {
    const { contract } = guard.document
    return (route) => (guardsOfRoute(route, guards).includes(guard) ? contract?.(route) : null)
  })
  const ofFeatures = FEATURES.flatMap(({ contract }) => contract?.(settings) ?? [])
  const ofPlugins = settings.plugins.map(
    (plugin): ContractOf =>
      (route) =>
        plugin.contract?.(route),
  )
  return [...ofGuards, ...ofFeatures, ...ofPlugins]
}

/** The settings that the contracts of features depend on, as plain data. */
export function featureFacts(settings: Settings): object {
  return FEATURES.map(({ facts }) => facts?.(settings))
}

/** The route options of all features. */
export const ROUTE_OPTIONS: FeatureOptions['routeOptions'] = Object.assign(
  {},
  ...FEATURES.map(({ routeOptions }) => routeOptions),
)

/**
 * Finds errors in the decorators of features. A problem of a class, or of a method with several routes, is reported
 * once.
 */
export function checkDecorators(routes: readonly RouteModel[]): Problem[] {
  const found = routes.flatMap((route) => {
    const problems = FEATURES.flatMap(({ check }) => check?.(route) ?? [])
    return problems.map((problem) => inWordsOfRoute(problem, route))
  })
  return [...new Map(found.map((problem) => [JSON.stringify(problem), problem])).values()]
}

/** Finds contradictions between decorators and the settings of features. */
export function compareFeatures(settings: Settings, model: AppModel): Problem[] {
  const app = appOf(settings, model)
  return FEATURES.flatMap(({ compare }) => compare?.(app) ?? [])
}

/** Lists the data that each worker stores separately if there are several workers. */
export function keptByWorkers(
  settings: Settings,
  model: AppModel,
  workers: number,
): KeptByWorker[] {
  const app = appOf(settings, model)
  return FEATURES.flatMap(({ keptByWorker }) => keptByWorker?.(app, workers) ?? [])
}

/** The response headers that guards, features and plugins add. CORS must expose them to scripts from other origins. */
export function headersOfRoutes(settings: Settings, { routes }: AppModel): readonly string[] {
  if (settings.security.cors === null) return []
  const contracts = routeContracts(settings)
  const names = routes.flatMap((route) =>
    contracts.flatMap((contract) => Object.keys(contract(route)?.headers ?? {})),
  )
  return [...new Set(names)]
}
