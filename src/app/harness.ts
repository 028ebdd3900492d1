import type { IncomingMessage } from 'node:http'
import type { CacheStore } from '../contracts/cache.js'
import type { Clock } from '../contracts/clock.js'
import type { AuthGuard } from '../contracts/guard.js'
import type { Logger } from '../contracts/logger.js'
import type { AppModel, RouteMatch, RouteModel } from '../contracts/route-model.js'
import type { Override } from '../di/build-container.js'
import type { RunRoute, Stage } from '../step/step.js'

/** What `blazon/testing` changes in an application, and what it is told of it. */
export interface Harness {
  readonly overrides: readonly Override[]
  readonly clock: Clock
  readonly logger: Logger
  /** Runs what starts the application. */
  readonly boot: <T>(run: () => Promise<T>) => Promise<T>
  /** Runs a request. */
  readonly enter: (req: IncomingMessage, run: () => void) => void
  /** Called when the application begins to close: from now on, nobody can connect. */
  readonly refuse: () => void
  /** Called when all of the application is closed. */
  readonly disconnect: () => void
  /** Stands before the guard, which may be none. */
  readonly wrapGuard: (guard: AuthGuard | null) => AuthGuard
  /**
   * Stands before a route.
   *
   * @param probe The same route as far as access is decided; behind that it answers 204 without calling the handler.
   */
  readonly wrapRoute: (run: RunRoute, probe: RunRoute) => RunRoute
  /** Stands right before the handler of a route. */
  readonly wrapHandler: (route: RouteModel) => Stage
  /** Stands before what the cache keeps its entries in. */
  readonly wrapStore: (store: CacheStore) => CacheStore
  /** Called before anything of the user's is started. */
  readonly built: (inside: Inside) => void
}

/** What is in an application, and nobody but its harness sees. */
export interface Inside {
  readonly model: AppModel
  /** Finds routes as requests do; an index past `model.routes` is a page of the framework. */
  readonly match: (method: string, url: string) => RouteMatch
}

const harnesses = new WeakMap<object, Harness>()

/** Puts an application that has not started under test. No door but the testing one leads here. */
export function putUnderTest(app: object, harness: Harness): void {
  harnesses.set(app, harness)
}

/** The harness of an application; `undefined` for those that are not under test. */
export function harnessOf(app: object): Harness | undefined {
  return harnesses.get(app)
}
