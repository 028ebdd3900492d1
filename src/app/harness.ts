import type { CacheStore } from '../contracts/cache.js'
import type { Clock } from '../contracts/clock.js'
import type { AnswerStatement } from '../contracts/database.js'
import type { AuthGuard } from '../contracts/guard.js'
import type { Request } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import type { AnswerCall } from '../contracts/outgoing-call.js'
import type { Plugin } from '../contracts/plugin.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { StepFactory as PublicStage } from '../contracts/steps.js'
import type { Override } from '../di/build-container.js'
import type { CarriesCredential } from '../http/credentials.js'
import type { StepFactory } from '../step/step.js'
import type { CompiledRoutes } from './compile-routes.js'
import type { Listener } from './listener.js'
import { systemClock } from './system-clock.js'

type TenantOf = NonNullable<AuthGuard['tenantOf']>

/**
 * The hooks for tests: everything that `blazon/testing` changes in an application. Functions whose names begin with
 * `wrap` are called at boot, once for each value that they change. `beforeHandler` is called once for each route.
 */
export interface Harness {
  readonly clock: Clock
  /** The logger; with `null`, the option `logger` applies. */
  readonly logger: Logger | null
  /** Providers that replace providers of the application. */
  readonly overrides: readonly Override[]
  /** Plugins that run after all other plugins. */
  readonly plugins: readonly Plugin[]
  /** Returns the request for which the calling code runs; `null` if the test cannot find it. */
  readonly currentRequest: (() => Request | undefined) | null
  /** Returns the results of statements in place of the database. With `null`, the database runs the statements. */
  readonly answerStatement: AnswerStatement | null
  /** Returns the responses to calls in place of other hosts. With `null`, the calls are sent. */
  readonly answerCall: AnswerCall | null
  /** Changes the guard. `null` means an application without a guard. */
  readonly wrapGuard: (guard: AuthGuard | null) => AuthGuard | null
  /** Changes the function that decides whether a request has a credential. */
  readonly wrapCredentials: (carries: CarriesCredential) => CarriesCredential
  /** Changes the function that returns the tenant of a credential. */
  readonly wrapTenantOf: (tenantOf: TenantOf) => TenantOf
  /** Changes the store of the cache. */
  readonly wrapStore: (store: CacheStore) => CacheStore
  /** Changes the stage of each rate limit. */
  readonly wrapLimit: (limit: PublicStage) => PublicStage
  /** Creates a step that runs immediately before the handler of a route; `null` for no step. */
  readonly beforeHandler: (route: RouteModel) => StepFactory | null
  /** Changes the compiled routes, before `setup` and `onInit` run. */
  readonly wrapRoutes: (routes: CompiledRoutes) => CompiledRoutes
  /** Replaces the functions that receive requests from Node. */
  readonly wrapListener: (listener: Listener) => Listener
}

/** The harness of an application outside tests. Its functions have no effect. */
export const NO_HARNESS: Harness = Object.freeze({
  clock: systemClock,
  logger: null,
  overrides: [],
  plugins: [],
  currentRequest: null,
  answerStatement: null,
  answerCall: null,
  wrapGuard: (guard: AuthGuard | null) => guard,
  wrapCredentials: (carries: CarriesCredential) => carries,
  wrapTenantOf: (tenantOf: TenantOf) => tenantOf,
  wrapStore: (store: CacheStore) => store,
  wrapLimit: (limit: PublicStage) => limit,
  beforeHandler: () => null,
  wrapRoutes: (routes: CompiledRoutes) => routes,
  wrapListener: (listener: Listener) => listener,
})

const harnesses = new WeakMap<object, Harness>()

/** Sets the harness of an application that has not started. Only `blazon/testing` imports this. */
export function putUnderTest(app: object, harness: Harness): void {
  harnesses.set(app, harness)
}

/** Returns the harness of an application. */
export function harnessOf(app: object): Harness {
  return harnesses.get(app) ?? NO_HARNESS
}
