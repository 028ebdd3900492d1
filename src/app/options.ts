import type { AuthOptions } from '../contracts/guard.js'
import type { MiddlewareList } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import type { SwaggerOptions } from '../contracts/openapi.js'
import type { Plugin } from '../contracts/plugin.js'
import type { Class, Module, Provider } from '../contracts/provider.js'
import type { RateLimitOptions } from '../contracts/rate-limit.js'
import type { Duration, Size } from '../contracts/units.js'
import type { Override } from '../di/build-container.js'
import type { CacheSettings } from '../features/cache/check-cache.js'
import type { SecurityOptions } from '../features/security/security.js'
import type { TenantOptions } from '../features/tenancy/tenant-options.js'

/** What a client may send. */
export interface LimitOptions {
  /** Largest JSON body, on the wire and decompressed. Default `'100kb'`. More is 413. */
  readonly body?: Size
  /** Deepest nesting of a JSON body. Default 64. More is 400. */
  readonly depth?: number
  /** Most header lines. Default 200. More is 431. */
  readonly headers?: number
}

/** How requests that a schema refuses are answered. */
export interface ValidationOptions {
  /**
   * Whose words the entries of `errors` are. `'library'`: those of the schema's library, some of which repeat what was sent. `'generic'`:
   * `is missing` and `is not valid`, and in paths `*` for names that are not in the schema, so that nothing of the request is
   * repeated. Default `'library'`.
   */
  readonly messages?: 'library' | 'generic'
}

/** How long things may take: seconds, or a string with a unit (`'250ms'`, `'2m'`). */
export interface TimeoutOptions {
  /** A handler, guard and validation included. Default 30 s, then 503; `false` for no limit. */
  readonly handler?: Duration | false
  /** The arrival of a request's head. Default 15 s, then 408. */
  readonly headers?: Duration
  /** The arrival of a whole request. Default 60 s, then 408. */
  readonly request?: Duration
  /** An idle connection. Default 72 s: longer than the 60 s of common load balancers, which must close first. */
  readonly keepAlive?: Duration
  /** Requests under way when the application closes. Default 10 s, then their connections are cut. */
  readonly close?: Duration
}

/** Everything an application is made of. */
export interface AppOptions {
  /** Controller classes; see `defineControllers`. */
  readonly controllers?: readonly Class[]
  /** Parts of the application; see {@link Module}. Default: none. */
  readonly modules?: readonly Module[]
  /** Providers that belong to no module. */
  readonly providers?: readonly Provider[]
  /** Express middlewares, routers, applications and error middlewares, and lists of them; run for every request, in order. */
  readonly middlewares?: MiddlewareList
  /**
   * Extensions, such as databases; see {@link Plugin}. Set up in order, closed in reverse order.
   * Default: none.
   */
  readonly plugins?: readonly Plugin[]
  /** The guard, and which routes it protects. Default: no guard; protected routes are 401. */
  readonly auth?: AuthOptions
  /** Security headers and CORS. Default: the headers of helmet, and no CORS. */
  readonly security?: SecurityOptions
  /** Where requests name their tenant, and what is believed of it. Default: requests have none. */
  readonly tenant?: TenantOptions
  /** The OpenAPI document and its page; a list makes several. `false` serves neither. Default: all routes at `/api-docs`. */
  readonly swagger?: false | SwaggerOptions | readonly SwaggerOptions[]
  /**
   * How often clients may ask. `true`: 100 requests a minute for an address, over all routes that have no `@RateLimit`. `false`: no limit
   * at all, decorators included. Default: decorators alone.
   */
  readonly rateLimit?: boolean | RateLimitOptions
  /** Where `@Cache` and `CacheManager` keep things. Default: in memory, bounded. */
  readonly cache?: CacheSettings
  /** How much a client may send. */
  readonly limits?: LimitOptions
  /** What the response says when a schema refuses a request. */
  readonly validation?: ValidationOptions
  /** How long requests and connections may take. */
  readonly timeouts?: TimeoutOptions
  /** Express' `trust proxy`: how many proxies, or which addresses, are believed. Default `false`; where the application is mounted in Express, what holds there. */
  readonly trustProxy?: boolean | number | string | readonly string[]
  /** Weak ETags, and 304 for clients that have the body. Default `false`. */
  readonly etag?: boolean
  /** A pino-compatible logger; `false` for silence. Default: warnings and failures on stderr. */
  readonly logger?: false | Logger
  /** Whether suspicious declarations keep the application from starting. Default `false`: they are logged. */
  readonly strict?: boolean
  /** Values that stand in for providers. Only `TestApp` honours them. */
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
