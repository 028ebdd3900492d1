import type { MiddlewareList } from '../../contracts/handler.js'
import type { Logger } from '../../contracts/logger.js'
import type { Plugin } from '../../contracts/plugin.js'
import type { Class, Module, Provider } from '../../contracts/provider.js'
import type { Override } from '../../di/build-container.js'
import type { CacheSettings } from '../../features/cache/cache-options.js'
import type { RateLimitOptions } from '../../features/rate-limit/rate-limit-options.js'
import type { SecurityOptions } from '../../features/security/security-options.js'
import type { TenantOptions } from '../../features/tenancy/tenant-options.js'
import type { SwaggerOptions } from '../../openapi/swagger-options.js'
import type { AuthOptions } from './auth-options.js'
import type { LimitOptions } from './limit-options.js'
import type { TimeoutOptions } from './timeout-options.js'
import type { ValidationOptions } from './validation-options.js'

/** Everything an application is made of. */
export interface AppOptions {
  /**
   * Controller classes; `defineControllers(A, B)` freezes a list.
   *
   * @defaultValue none
   */
  readonly controllers?: readonly Class[]
  /**
   * Modules, which group controllers and providers.
   *
   * @defaultValue none
   * @see docs/dependency-injection.md#modules
   */
  readonly modules?: readonly Module[]
  /**
   * Providers that belong to no module.
   *
   * @defaultValue none
   */
  readonly providers?: readonly Provider[]
  /**
   * Express middlewares, routers, applications and error middlewares, and lists of them. They run for every request, in order.
   *
   * @defaultValue none
   * @see docs/express.md
   */
  readonly middlewares?: MiddlewareList
  /**
   * Extensions of the application.
   *
   * @defaultValue none
   * @see docs/dependency-injection.md#plugins
   */
  readonly plugins?: readonly Plugin[]
  /**
   * The guard, and what it decides.
   *
   * @defaultValue none: protected routes respond with 401
   * @see docs/auth.md
   */
  readonly auth?: AuthOptions
  /**
   * Protective headers by helmet, and cross-origin access (CORS).
   *
   * @defaultValue helmet on, CORS off
   */
  readonly security?: SecurityOptions
  /**
   * Where requests name their tenant, and what is believed of that.
   *
   * @defaultValue requests have no tenant
   * @see docs/tenancy.md
   */
  readonly tenant?: TenantOptions
  /**
   * The OpenAPI document and its page. A list makes several documents, and `false` serves neither document nor page.
   *
   * @defaultValue every route, at `/api-docs`
   * @see docs/openapi.md
   */
  readonly swagger?: false | SwaggerOptions | readonly SwaggerOptions[]
  /**
   * Where `@Cache` and `CacheManager` keep their entries.
   *
   * @defaultValue in memory, bounded
   * @see docs/caching.md
   */
  readonly cache?: CacheSettings
  /**
   * How many requests clients may make. `true`: 100 requests a minute for an address, over all routes that have no `@RateLimit`.
   * `false`: no limit at all, decorators included.
   *
   * @defaultValue the limits of `@RateLimit`
   * @see docs/rate-limits.md
   */
  readonly rateLimit?: boolean | RateLimitOptions
  /**
   * What a client may send.
   *
   * @defaultValue the default of each field
   */
  readonly limits?: LimitOptions
  /**
   * What a client is told of a request that a schema refuses.
   *
   * @defaultValue the words of the schema's library
   */
  readonly validation?: ValidationOptions
  /**
   * How long things may take.
   *
   * @defaultValue the default of each field
   */
  readonly timeouts?: TimeoutOptions
  /**
   * Express' `trust proxy`: which proxies are believed. A number of proxies, their addresses, or a boolean.
   *
   * @defaultValue `false`; mounted in Express, the setting of the host
   * @see docs/express.md#settings-of-the-host
   */
  readonly trustProxy?: boolean | number | string | readonly string[]
  /**
   * Weak ETags, and 304 for clients that have the body already.
   *
   * @defaultValue `false`
   */
  readonly etag?: boolean
  /**
   * A pino-compatible logger (`info`, `warn`, `error`); `false` for silence.
   *
   * @defaultValue boot warnings and failures, a JSON line each, on stderr
   * @see docs/errors.md#what-the-log-gets
   */
  readonly logger?: false | Logger
  /**
   * Whether boot warnings are boot errors. They are logged otherwise.
   *
   * @defaultValue `false`
   */
  readonly strict?: boolean
  /**
   * Values that stand in for providers: `{ token, useValue }[]`. Only `TestApp` honours them.
   *
   * @defaultValue none
   */
  readonly testOverrides?: readonly Override[]
}

/** A misspelt option is a compile error, which inference alone would let pass. */
type UnknownOptions<T> = { readonly [K in Exclude<keyof T, keyof AppOptions>]: never }

/**
 * Types an options object where it is written.
 *
 * @example
 * export const options = defineAppOptions({ controllers: defineControllers(UsersController) })
 */
export function defineAppOptions<const T extends AppOptions>(options: T & UnknownOptions<T>): T {
  return options
}
