import type { Application } from 'express'
import type { MiddlewareList, Request, Response } from './handler.js'
import type { Logger } from './logger.js'
import type { Lifecycle, Provider, Token } from './provider.js'
import type { AppModel, RouteModel } from './route-model.js'

/** What a plugin sees of the application while it is set up. */
export interface PluginContext {
  /** The instance behind a token. Throws a `ConfigError` when nothing provides it. */
  get<T>(token: Token<T>): T
  /** The Express application behind `req.app`; for settings. */
  readonly express: Application
  /** The logger of the application. */
  readonly logger: Logger
  /** Every route, frozen. */
  readonly model: AppModel
  /** Whether requests have tenants: by the `tenant` option, or by a route that speaks of them. */
  readonly usesTenants: boolean
}

/**
 * Stands right before the handler of a route, behind everything that may refuse a request. It answers with what `next` answers, at once or
 * as a promise, or throws.
 *
 * @param fail Ends the request with an error that comes to light after `next` has answered.
 */
export type Interceptor = (
  req: Request,
  res: Response,
  next: () => unknown,
  fail: (error: unknown) => void,
) => unknown

/** What is known of an application when its routes are compiled: everything is constructed, nothing is set up. */
export type InterceptedApp = Pick<PluginContext, 'get' | 'usesTenants'>

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
  /** Used in error messages. */
  readonly name: string
  /** What the plugin provides; injected everywhere. Default: nothing. */
  readonly providers?: readonly Provider[]
  /**
   * Keys of reflect metadata that the plugin reads itself, from the controllers and handlers of `model`. Metadata that decorators of other
   * frameworks have left is otherwise an error or a warning at boot, because nothing acts on it. Default: none.
   */
  readonly metadataKeys?: readonly (string | symbol)[]
  /** Run after the application's own `middlewares`; lists in it are taken apart. */
  readonly middlewares?: MiddlewareList
  /** Called once, after every provider is constructed and before any request. Awaited. */
  setup?(context: PluginContext): unknown
  /** Asked once for each route; `null` where the route needs none, which then costs nothing. Run before `setup`. */
  intercept?(route: RouteModel, app: InterceptedApp): Interceptor | null
  /**
   * Says what an error means for the client, where the plugin knows: an `HttpError` to go on with in its place, else `undefined`. Asked once for each error that is
   * no `HttpError`, wherever in the application it was thrown, before error middlewares. An error that it throws itself counts as `undefined`.
   */
  explain?(error: unknown, req: Request): Error | undefined
  /**
   * Whether what the plugin depends on can be used: throws or rejects where it cannot. Asked by `Health`, for a readiness check.
   * What it answers with is shown there.
   */
  health?(app: Pick<PluginContext, 'get'>): unknown
}
