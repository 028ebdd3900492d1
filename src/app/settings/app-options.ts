import type {
  Class,
  DefaultStatus,
  EnvelopeChoice,
  ErrorReporter,
  InterceptorEntry,
  Logger,
  MiddlewareList,
  Module,
  Plugin,
  Provider,
  ResponseFieldsMode,
  VersionOptions,
} from '../../contracts/public.js'
import type { Override } from '../../di/build-container.js'
import type { CacheOptions } from '../../features/cache/cache-options.js'
import type { CapacityOptions } from '../../features/capacity/capacity-options.js'
import type { HealthOptions } from '../../features/health/health-options.js'
import type { LoggerOptions } from '../../features/logs/logger-options.js'
import type { LogsOptions } from '../../features/logs/logs-options.js'
import type { MetricsOptions } from '../../features/metrics/metrics-options.js'
import type { OutgoingOptions } from '../../features/outgoing/outgoing-options.js'
import type { RateLimitOptions } from '../../features/rate-limit/rate-limit-options.js'
import type { SecurityOptions } from '../../features/security/security-options.js'
import type { TenantOptions } from '../../features/tenancy/tenant-options.js'
import type { SwaggerOptions } from '../../openapi/swagger-options.js'
import type { AuthOptions } from './auth-options.js'
import type { CookieKeyOptions } from './cookie-options.js'
import type { ErrorOptions } from './error-options.js'
import type { LimitOptions } from './limit-options.js'
import type { RecordsOptions } from './records-options.js'
import type { ResponseOptions } from './response-options.js'
import type { TimeoutOptions } from './timeout-options.js'
import type { ValidationOptions } from './validation-options.js'

/** The options of an application. */
export interface AppOptions {
  /**
   * Controller classes; `defineControllers(A, B)` freezes a list.
   *
   * @defaultValue none
   */
  readonly controllers?: readonly Class[]
  /**
   * Modules. A module groups controllers and providers.
   *
   * @defaultValue none
   * @see docs/dependency-injection.md#modules
   */
  readonly modules?: readonly Module[]
  /**
   * A path prefix for all controllers: `'api'`, `'/api/v1/'`. It can contain `:param` segments. Slashes at both ends
   * are ignored. It does not apply to `swagger.path` or the paths of `middlewares`.
   *
   * @defaultValue none
   * @see docs/decorators.md#prefixes
   */
  readonly prefix?: string
  /**
   * The success status of routes without `@HttpCode` and `@Redirect`, by method: `{ POST: 201 }`; 200 to 299.
   *
   * @defaultValue 200; 204 if a handler returns `undefined`
   * @see docs/decorators.md#default-status
   */
  readonly defaultStatus?: DefaultStatus
  /**
   * Providers that belong to no module.
   *
   * @defaultValue none
   */
  readonly providers?: readonly Provider[]
  /**
   * Express middlewares, routers, applications and error middlewares, or lists of them. They run for every request, in
   * this order.
   *
   * @defaultValue none
   * @see docs/express.md
   */
  readonly middlewares?: MiddlewareList
  /**
   * Interceptors around the handlers of all routes: instances, classes or tokens. The first is outermost; interceptors
   * of `@Use` run inside them.
   *
   * @defaultValue none
   * @see docs/interceptors.md
   */
  readonly interceptors?: readonly InterceptorEntry[]
  /**
   * Extensions of the application.
   *
   * @defaultValue none
   * @see docs/extending.md#write-a-plugin
   */
  readonly plugins?: readonly Plugin[]
  /**
   * Authentication and authorization: the guard, the default access to routes, and the function that evaluates `@Can`.
   *
   * @defaultValue none; protected routes respond with 401
   * @see docs/auth.md
   */
  readonly auth?: AuthOptions
  /**
   * Security headers (with `helmet`) and cross-origin access (CORS, with `cors`).
   *
   * @defaultValue helmet on, CORS off
   */
  readonly security?: SecurityOptions
  /**
   * Where requests specify the API version, for routes with `@Version`.
   *
   * @defaultValue the API has no versions
   * @see docs/versions.md
   */
  readonly versions?: VersionOptions
  /**
   * How the tenant of a request is determined and checked.
   *
   * @defaultValue requests have no tenant
   * @see docs/tenancy.md
   */
  readonly tenant?: TenantOptions
  /**
   * The OpenAPI document and its page. A list creates several documents. `false` serves neither document nor
   * page.
   *
   * @defaultValue every route, at `/api-docs`
   * @see docs/openapi.md
   */
  readonly swagger?: false | SwaggerOptions | readonly SwaggerOptions[]
  /**
   * Another name for `swagger`, with the same values. Use only one of the two names.
   *
   * @defaultValue `swagger`
   * @see docs/openapi.md
   */
  readonly openapi?: AppOptions['swagger']
  /**
   * The store and the defaults of `@Cache` and `CacheManager`.
   *
   * @defaultValue in memory, bounded
   * @see docs/caching.md
   */
  readonly cache?: CacheOptions
  /**
   * How many requests a client can send. `true`: 100 requests per minute and address, in total for all routes without
   * `@RateLimit`. `false`: no limits, and `@RateLimit` has no effect.
   *
   * @defaultValue the limits of `@RateLimit`
   * @see docs/rate-limits.md
   */
  readonly rateLimit?: boolean | RateLimitOptions
  /**
   * Limits for the size and nesting of requests.
   *
   * @defaultValue the default of each field
   */
  readonly limits?: LimitOptions
  /**
   * The keys for signed cookies and page cursors.
   *
   * @defaultValue none
   */
  readonly cookies?: CookieKeyOptions
  /**
   * The error messages in the response to a request that fails validation.
   *
   * @defaultValue the messages of the schema library
   */
  readonly validation?: ValidationOptions
  /**
   * The envelope around the data of success responses: `true` for the framework's own, `false` for bare data, or your
   * own `EnvelopeFormat`. `@Envelope` replaces it for a class or a method.
   *
   * @defaultValue `true`
   * @see docs/responses.md
   */
  readonly envelope?: EnvelopeChoice
  /**
   * The format of error responses, and the status of rejected input. `'problem'`: every error is an RFC 9457 document,
   * regardless of the media types that the client accepts.
   *
   * @defaultValue the error envelope, or RFC 9457 for clients that request it
   * @see docs/errors.md#your-own-error-format
   */
  readonly errors?: 'problem' | ErrorOptions
  /**
   * How to handle response fields that are not in the documented schema, and which responses every route documents. A
   * mode such as `'strip'` means `{ fields: 'strip' }`.
   *
   * @defaultValue `'send'`
   * @see docs/responses.md#only-what-is-described
   */
  readonly responses?: ResponseFieldsMode | ResponseOptions
  /**
   * Routes for load balancers and orchestrators: `/livez`, `/readyz` and `/startupz`.
   *
   * @defaultValue `false`
   * @see docs/operating.md#health
   */
  readonly health?: boolean | HealthOptions
  /**
   * Metrics of requests, the process, the cache and plugins, for Prometheus and other tools that read its format.
   *
   * @defaultValue `false`
   * @see docs/observability.md#metrics
   */
  readonly metrics?: boolean | MetricsOptions
  /**
   * How many requests run concurrently. Further requests wait in a short queue; when it is full, they are refused with
   * 503 and `Retry-After` before their bodies are read.
   *
   * @defaultValue none: every request runs immediately
   * @see docs/capacity.md
   */
  readonly capacity?: CapacityOptions
  /**
   * Calls to other hosts with `inject(Outgoing)`: whether failed calls are retried, and whether calls to failing hosts
   * are paused (circuit breaker).
   *
   * @defaultValue the default of each field
   * @see docs/outgoing.md
   */
  readonly outgoing?: OutgoingOptions
  /**
   * Whether to store a record of each request that failed with a server error: the decision of each step, statements,
   * log lines. `inject(RequestRecords)` provides the records. The decisions are then recorded for every request.
   *
   * @defaultValue `false`
   * @see docs/observability.md#records
   */
  readonly records?: boolean | RecordsOptions
  /**
   * Time limits for handlers, requests, connections and shutdown.
   *
   * @defaultValue the default of each field
   */
  readonly timeouts?: TimeoutOptions
  /**
   * The `trust proxy` setting of Express: which proxies the application trusts. The value is the number of proxies,
   * their addresses, or a boolean.
   *
   * @defaultValue `false`, or the setting of the host application if mounted in Express
   * @see docs/express.md#settings-of-the-host
   */
  readonly trustProxy?: boolean | number | string | readonly string[]
  /**
   * Whether responses have a weak ETag. A client that already has the current body then receives a 304 response.
   *
   * @defaultValue `false`
   */
  readonly etag?: boolean
  /**
   * Whether each request is logged in one line when it ends. With `logs` and without `logger`, all lines are written to
   * stdout.
   *
   * @defaultValue `false`
   * @see docs/operating.md#logs
   */
  readonly logs?: boolean | LogsOptions
  /**
   * A pino-compatible logger (`info`, `warn`, `error`), or options of the framework's own logger, which writes to
   * stdout. `false` logs nothing.
   *
   * @defaultValue each line is written to stderr as JSON
   * @see docs/errors.md#what-the-log-gets
   */
  readonly logger?: false | Logger | LoggerOptions
  /**
   * Whether every response contains the request ID in `X-Request-Id`, and every error response in `requestId`.
   *
   * @defaultValue `true` with `logs`, otherwise `false`; errors from status 500 on always have a `requestId`
   * @see docs/operating.md#request-ids
   */
  readonly requestIds?: boolean
  /**
   * Whether the `X-Request-Id` header of a request is used as its ID, if it consists of 1 to 128 letters, digits, `_`,
   * `.` and `-`. Enable this option behind your own proxy that sets the header.
   *
   * @defaultValue `false`: the application generates the IDs
   * @see docs/operating.md#request-ids
   */
  readonly trustRequestId?: boolean
  /**
   * The function that receives every error that is logged at level `error`, to pass errors to an error tracker:
   * `(error, context) => { … }`. A returned promise is not awaited. If the function throws or rejects, the reason is
   * logged, with no other effect.
   *
   * @defaultValue none
   * @see docs/operating.md#report-errors
   */
  readonly onError?: ErrorReporter
  /**
   * Whether a boot warning stops the boot like an error. Otherwise, warnings are only logged.
   *
   * @defaultValue `false`
   */
  readonly strict?: boolean
  /**
   * Values that replace providers in tests: `{ token, useValue }[]`. They take effect only in a `TestApp`.
   *
   * @defaultValue none
   */
  readonly testOverrides?: readonly Override[]
}

/** Makes a misspelt option a compile error. Type inference alone would accept it. */
type UnknownOptions<T> = { readonly [K in Exclude<keyof T, keyof AppOptions>]: never }

/**
 * Checks the type of an options object that is declared separately from `new App`. Returns the object unchanged.
 *
 * @example
 * export const options = defineAppOptions({ controllers: defineControllers(UsersController) })
 */
export function defineAppOptions<const T extends AppOptions>(options: T & UnknownOptions<T>): T {
  return options
}
