import type { Application } from 'express'
import type { MiddlewareList, Request, Response } from './handler.js'
import type { Logger } from './logger.js'
import type { Lifecycle, Provider, Token } from './provider.js'
import type { AppModel, RouteModel } from './route-model.js'

/** The parts of the application that a plugin sees while it is set up. */
export interface PluginContext {
  /** Returns the instance of a token. Throws a `ConfigError` when nothing provides the token. */
  get<T>(token: Token<T>): T
  /** The Express application in `req.app`, for its settings. */
  readonly express: Application
  /** The logger of the application. */
  readonly logger: Logger
  /** Every route, frozen. */
  readonly model: AppModel
  /** Whether requests have tenants: the `tenant` option is set, or a route uses `@Tenant` or `@TenantId`. */
  readonly usesTenants: boolean
}

/**
 * A function that runs directly before the handler of a route, after every step that may refuse the request. It
 * returns what `next` returns, directly or as a promise, or it throws.
 *
 * @param fail Ends the request with an error that is found after `next` has returned.
 */
export type Interceptor = (
  req: Request,
  res: Response,
  next: () => unknown,
  fail: (error: unknown) => void,
) => unknown

/**
 * The parts of an application that exist when its routes are compiled: every instance is constructed, no plugin is
 * set up.
 */
export type InterceptedApp = Pick<PluginContext, 'get' | 'usesTenants'>

/**
 * The middlewares of a plugin, by their place. Plugins of the same place run in the order of `plugins`. `security` and
 * the tenant of a request come before all of them.
 */
export interface PluginMiddlewares {
  /** Run before the application's own `middlewares`. Default: none. */
  readonly first?: MiddlewareList
  /** Run after the application's own `middlewares`. Default: none. */
  readonly last?: MiddlewareList
}

/**
 * An extension of an application.
 *
 * @example
 * const clock: Plugin = {
 *   name: 'clock',
 *   providers: [{ token: 'now', useValue: () => new Date() }],
 * }
 */
export interface Plugin extends Lifecycle {
  /** The name of the plugin in error messages. */
  readonly name: string
  /** The providers of the plugin, which every class can inject. Default: nothing. */
  readonly providers?: readonly Provider[]
  /**
   * The keys of reflect metadata that the plugin itself reads, from the controllers and handlers of `model`. Boot
   * reports the metadata of other frameworks as an error or a warning, because it has no effect. Boot ignores these
   * keys. Default: none.
   */
  readonly metadataKeys?: readonly (string | symbol)[]
  /**
   * Middlewares and error middlewares. A list runs after the application's own `middlewares`. `first` of
   * {@link PluginMiddlewares} runs before them. Nested lists are flattened. Default: none.
   */
  readonly middlewares?: MiddlewareList | PluginMiddlewares
  /** Called once, after every provider is constructed and before the first request. A promise is awaited. */
  setup?(context: PluginContext): unknown
  /**
   * Called once for each route, before `setup`. Returns the interceptor of the route, or `null`; a route without an
   * interceptor has no extra step.
   */
  intercept?(route: RouteModel, app: InterceptedApp): Interceptor | null
  /**
   * Translates an error for the client: returns an `HttpError` that replaces the error, or `undefined`. Called once
   * for each error that is not an `HttpError`, wherever in the application it was thrown, before the error
   * middlewares. An error that `explain` throws counts as `undefined`.
   */
  explain?(error: unknown, req: Request): Error | undefined
  /**
   * Checks whether the plugin can use the services that it depends on, and throws or rejects if it cannot. `Health`
   * calls it for a readiness check and reports the value that it returns.
   */
  health?(app: Pick<PluginContext, 'get'>): unknown
}
