import type { Plugin } from '../contracts/plugin.js'
import type { ContractOf } from '../contracts/route-contract.js'
import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { PluginSteps } from '../contracts/steps.js'
import type { Problem } from '../errors/config-error.js'

/** The parts of an application that features can read before the other parts are created. */
export interface FeatureApp<TSettings> {
  readonly settings: TSettings
  readonly model: AppModel
  /** Whether requests have tenants. */
  readonly usesTenants: boolean
}

/** Data that each worker stores separately, described for the warning `W_WORKERS_MEMORY`. */
export interface KeptByWorker {
  /** The option or decorator that causes the data to be stored. */
  readonly subject: string
  /** The effect for clients, as a sentence. */
  readonly effect: string
  /** The remedy, as a sentence. If omitted, the remedy is a store that the workers share. */
  readonly remedy?: string
}

/** Whether each process has a separate store. */
export function isOwnStore(store: { readonly isShared?: boolean | undefined } | null): boolean {
  return store === null || store.isShared === false
}

/**
 * A capability of the framework. A feature can extend an application in the same ways as a plugin. A plugin receives
 * its options as arguments of a factory; a feature reads them from the settings. `features/index.ts` lists all
 * features.
 *
 * @typeParam TSettings The settings that the feature reads.
 * @typeParam TParts The parts of an application that `load` receives.
 */
export interface Feature<TSettings, TParts = unknown> {
  readonly name: string
  /** Whether the feature's steps run outside the steps of all plugins. If omitted, they run inside. */
  readonly isOutermost?: boolean
  /** The route options that belong to the feature, each with the decorator that has the same effect. */
  readonly routeOptions?: Readonly<Record<string, (given: unknown) => object>>
  /** Finds errors in the decorators of one route. */
  readonly check?: (route: RouteModel) => Problem[]
  /** Finds contradictions between settings and decorators. The framework calls this function only if both are valid. */
  readonly compare?: (app: FeatureApp<TSettings>) => Problem[]
  /** Returns the function for additions to operations, like `Plugin.contract`; `null` if there are no additions. */
  readonly contract?: (settings: TSettings) => ContractOf | null
  /** Returns the facts that `contract` depends on, as plain data. If omitted, `contract` depends only on the route. */
  readonly facts?: (settings: TSettings) => unknown
  /** Reports data that each worker stores separately instead of sharing it; `null` if there is none. */
  readonly keptByWorker?: (app: FeatureApp<TSettings>, workers: number) => KeptByWorker | null
  /** Lists the positions of the feature's steps in a route that uses its decorators. Default: none. */
  readonly places?: (
    route: RouteModel,
  ) => readonly Exclude<keyof PluginSteps, 'onResponse' | 'onEnd'>[]
  /** Loads the code of the feature; `null` if the application does not use it. */
  readonly load?: (app: FeatureApp<TSettings> & TParts) => Promise<Plugin> | null
}
