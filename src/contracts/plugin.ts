import type { Application } from 'express'
import type { Decorated, OptionTarget, RouteOption } from './extensions.js'
import type { MiddlewareList, Request, RequestHandler, Response } from './handler.js'
import type { Logger } from './logger.js'
import type { RequestObserver } from './observers.js'
import type { OpenApiSchema } from './openapi.js'
import type { Lifecycle, Provider, Token } from './provider.js'
import type { HealthCheck, PluginWork } from './reports.js'
import type { RouteContract } from './route-contract.js'
import type { AppModel, RouteModel } from './route-model.js'
import type { Schema } from './schema.js'
import type { PluginSteps } from './steps.js'

/** The parts of the application that are available to a plugin during its set-up. */
export interface PluginContext {
  /** Returns the instance of a token. Throws a `ConfigError` if no provider has the token. */
  get<T>(token: Token<T>): T
  /** The Express application, which is also `req.app`. Use it to read or change Express' settings. */
  readonly express: Application
  /** The logger of the application. */
  readonly logger: Logger
  /**
   * Lists the classes in the container, and their methods, that have a certain option of `defineOption`, in the order
   * of construction. Schedulers, queues and event buses use this function to find the methods to call.
   */
  readonly find: <TValue, TFound, TTarget extends OptionTarget>(
    option: RouteOption<TValue, TFound, TTarget>,
  ) => readonly Decorated<TFound>[]
  /** Every route, frozen. */
  readonly model: AppModel
  /** Whether requests have tenants: the `tenant` option is set, or a route uses `@Tenant` or `@TenantId`. */
  readonly usesTenants: boolean
}

/**
 * The parts of an application that exist when its routes are compiled. All instances have been constructed, but no
 * plugin has been set up.
 */
export interface RouteSetup extends Pick<PluginContext, 'get' | 'logger' | 'usesTenants'> {
  /**
   * Ends a request with an error that occurs after `next` has returned, for example while the response is waiting for a
   * commit. Has no effect if a response has been sent.
   */
  readonly fail: (error: unknown, req: Request, res: Response) => void
  /**
   * Sends a value as the response of the route, as if the handler had returned it: in the envelope, as a stream, or as
   * the error of a `Refusal`. A promise is awaited. Use this function only for a response that is created in the
   * background, separately from the waiting request. A value that a step returns becomes the response without this
   * function. Has no effect if `res` has been sent.
   */
  readonly respond: (value: unknown, req: Request, res: Response) => void
}

/** The parts of an application that exist before its requests are observed. No plugin has been set up. */
export interface ObserverSetup
  extends Pick<PluginContext, 'get' | 'logger' | 'model' | 'usesTenants'> {
  /** Returns the number of running requests, excluding upgraded connections. */
  readonly activeRequests: () => number
  /**
   * Returns an object that hides the secrets of a request: its credentials, its cookies, and values that the route's
   * schemas mark as secret. Call this function as late as possible: secrets in the body are known only after the body
   * has been read.
   */
  readonly secretsOf: (req: Request) => RequestSecretTexts
  /**
   * Returns the URL of a request as in the log, without values that the route's schemas mark as secret. This takes less
   * time than `secretsOf`, which also hides credentials.
   */
  readonly urlOf: (req: Request) => string
}

/** Hides the secrets of one request. */
export interface RequestSecretTexts {
  /** Returns a string with `[secret]` in place of each secret of the request. */
  readonly hideIn: (text: string) => string
  /** The path and query of the request, without its secrets. */
  readonly url: string
}

/**
 * The middlewares of a plugin, by position. At each position, the middlewares of several plugins run in the order of
 * `plugins`. `security` and the tenant check run before all middlewares of plugins.
 */
export interface PluginMiddlewares {
  /** Middlewares that run before the application's own `middlewares`. Default: none. */
  readonly first?: MiddlewareList
  /** Middlewares that run after the application's own `middlewares`. Default: none. */
  readonly last?: MiddlewareList
}

/** An error in the use of a plugin's decorator on one route. */
export interface RouteMistake {
  /** The cause, as a sentence. The framework adds the name of the route at the beginning. */
  readonly cause: string
  /** The remedy, as a sentence. */
  readonly remedy: string
}

/**
 * Converts a schema of any library for the OpenAPI document. Its definitions become components of the document.
 *
 * @param name The name used in warnings, and for definitions without a name.
 */
export type DescribeForDocument = (schema: Schema, name: string) => OpenApiSchema

/** Members of the OpenAPI document that OpenAPI itself does not define. */
export type DocumentExtensions = Readonly<Record<`x-${string}`, unknown>>

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
  /** The providers of the plugin, which every class can inject. Default: none. */
  readonly providers?: readonly Provider[]
  /**
   * The reflect-metadata keys that the plugin itself reads from the controllers and handlers in `model`. Metadata of
   * other frameworks has no effect, so it is reported at boot as an error or a warning. These keys are not reported.
   * Default: none.
   */
  readonly metadataKeys?: readonly (string | symbol)[]
  /**
   * Middlewares and error middlewares. A list runs after the application's own `middlewares`; the list `first` of
   * `PluginMiddlewares` runs before them. Nested lists are flattened. Default: none.
   */
  readonly middlewares?: MiddlewareList | PluginMiddlewares
  /**
   * The framework calls this method once, after all providers have been constructed and before the first request. A
   * promise is awaited.
   */
  setup?(context: PluginContext): unknown
  /**
   * Returns the errors in the use of the plugin's decorators on a route, or `null`. The framework calls this method
   * once for each route, before anything is constructed, and reports each error as a boot error (`E_PLUGIN_CHECK`),
   * together with all other errors. `check` of `defineOption` receives only the value of one decorator; this method
   * receives the whole route.
   *
   * @see docs/extending.md#mistakes
   */
  check?(route: RouteModel): readonly RouteMistake[] | null | undefined
  /**
   * Returns the steps that the plugin adds to a route, or `null`. The framework calls this method once for each route,
   * before `setup`. An omitted position adds no overhead. The steps of the first plugin are the outermost steps.
   *
   * @see docs/extending.md#steps
   */
  steps?(route: RouteModel, app: RouteSetup): PluginSteps | null | undefined
  /**
   * Returns the additions of the plugin's steps to the operation of a route: responses, headers, parameters, security.
   * The framework calls this method once for each route, before anything is constructed. The OpenAPI document contains
   * the additions, so the generated client, `contract`, `fuzz` and `openapi diff` take them into account.
   *
   * @see docs/extending.md#contract
   */
  contract?(route: RouteModel): RouteContract | null | undefined
  /**
   * Returns members of the OpenAPI document, with names that begin with `x-`, for things other than operations, such as
   * jobs or events. The framework calls this method twice for each document. Tools that do not support these members
   * ignore them.
   *
   * @see docs/extending.md#contract
   */
  document?(describe: DescribeForDocument): DocumentExtensions
  /**
   * Returns the observer of all requests of the application, with or without a route, or `null`. The framework calls
   * this method once, before `setup`. If no plugin returns an observer, requests are not observed, and there is no
   * overhead.
   *
   * @see docs/extending.md#observe-all-requests
   */
  requests?(app: ObserverSetup): RequestObserver | null | undefined
  /**
   * Translates an error for the client: returns an `HttpError` that replaces the error, or `undefined`. The framework
   * calls this method once for each error that is not an `HttpError`, wherever in the application it was thrown, before
   * the error middlewares. If `explain` throws, the result counts as `undefined`.
   */
  explain?(error: unknown, req: Request): Error | undefined
  /**
   * Returns the plugin's own `GET` routes, for pages and files that are not part of the API. The framework calls this
   * method once, before anything is constructed. The handlers can call `get` of the argument, because they run after
   * startup.
   *
   * @see docs/extending.md#routes
   */
  routes?(app: Pick<PluginContext, 'get'>): readonly FrameworkRoute[] | null | undefined
  /**
   * Checks whether the plugin can use the services that it depends on, and throws or rejects if not. `Health` and the
   * option `health` call this check. With `{ check, required: false }`, the application stays ready even if the check
   * fails.
   */
  readonly health?: HealthCheck
  /**
   * Returns the plugin's work outside requests, such as jobs, and the actions on it, for the dashboard of `blazon dev`.
   * The framework calls this method once, at startup, but only under `blazon dev`.
   *
   * @see docs/extending.md#work-in-the-dashboard
   */
  work?(app: Pick<PluginContext, 'get'>): PluginWork
  /**
   * Returns a short description of the data that the plugin stores only in the memory of this process; `null` if there
   * is none. If there are several workers, boot warns about this data (`W_WORKERS_MEMORY`). The framework calls this
   * method once, before anything is constructed. If omitted, the plugin stores no such data.
   */
  keptInProcess?(): string | null
}

/**
 * A `GET` route of the framework or of a plugin. It has no controller, guard or rate limit. Neither the route table nor
 * the OpenAPI document contains it.
 */
export interface FrameworkRoute {
  /** The full path in the syntax of controllers, with literal segments only. `prefix` does not apply. */
  readonly path: string
  /**
   * Handles the request. If it throws or rejects, the request fails as on other routes. If it sends no response, the
   * client receives a 503 response after `timeouts.handler`.
   */
  readonly handle: RequestHandler
  /** Whether monitoring calls the route constantly. If so, the request log uses the level `debug`. Default `false`. */
  readonly quiet?: boolean
  /**
   * Whether the route runs before `security`, tenants and middlewares, so that these cannot delay or refuse its
   * requests. Default `false`.
   */
  readonly early?: boolean
  /** The remedy in the boot error for a controller that has the same route. Default: a general remedy. */
  readonly remedy?: string
}
