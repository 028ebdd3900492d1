import type { InterceptorEntry } from '../../contracts/interceptor.js'
import type { Logger } from '../../contracts/logger.js'
import type { ErrorReporter } from '../../contracts/observers.js'
import type { SchemaConverters } from '../../contracts/openapi.js'
import type { Plugin } from '../../contracts/plugin.js'
import type { Class, Module, Provider } from '../../contracts/provider.js'
import type { DefaultStatus } from '../../contracts/route-model.js'
import type { EnvelopeChoice } from '../../contracts/wire-format.js'
import type { Override } from '../../di/build-container.js'
import type { FeatureSettings } from '../../features/index.js'
import type { LoggerSettings } from '../../features/logs/open-logger.js'
import type { TenantSettings } from '../../features/tenancy/tenant-rules.js'
import type { DocumentSettings } from '../../openapi/swagger-options.js'
import type { NamedMiddleware } from '../tenancy/check-routers.js'
import type { AuthSettings } from './auth-options.js'
import type { CookieSettings } from './cookie-options.js'
import type { ErrorSettings } from './error-options.js'
import type { LimitSettings } from './limit-options.js'
import type { TrustProxy } from './plain-options.js'
import type { RecordsAndCapsules } from './records-options.js'
import type { ResponseSettings } from './response-options.js'
import type { TimeoutSettings } from './timeout-options.js'
import type { ValidationSettings } from './validation-options.js'

/**
 * The options of an application after the checks. Defaults are filled in, values are converted to the unit in their
 * name (`bodyBytes`, `closeMs`), and everything is frozen. Boot and all later code read these settings, never the
 * options. `FeatureSettings` contains the settings of features.
 */
export interface Settings extends FeatureSettings {
  readonly controllers: readonly Class[]
  readonly modules: readonly Module[]
  /** The path prefix, with a slash at the start but not at the end; `'/'` if the option is not set. */
  readonly prefix: string
  /** Methods that are not listed have no default status. */
  readonly defaultStatus: DefaultStatus
  readonly providers: readonly Provider[]
  /** The middlewares of the application and of its plugins, in the order in which they run. */
  readonly middlewares: readonly NamedMiddleware[]
  /** The interceptors, outermost first. */
  readonly interceptors: readonly InterceptorEntry[]
  readonly plugins: readonly Plugin[]
  readonly auth: AuthSettings
  /**
   * The settings of tenants; `null` without the option `tenant`. Even then, middlewares of the application can set
   * tenants.
   */
  readonly tenant: TenantSettings | null
  /** All documents: at least one, even if the application serves no document. */
  readonly swagger: readonly DocumentSettings[]
  /** The schema converters of all documents together. */
  readonly converters: SchemaConverters
  readonly limits: LimitSettings
  readonly cookies: CookieSettings
  readonly validation: ValidationSettings
  /** The envelope of routes without `@Envelope`. */
  readonly envelope: EnvelopeChoice
  readonly errors: ErrorSettings
  readonly responses: ResponseSettings
  readonly records: RecordsAndCapsules
  readonly timeouts: TimeoutSettings
  /**
   * The trusted proxies; `null` without the option. If the application is mounted in a host application, the host's
   * setting then applies.
   */
  readonly trustProxy: TrustProxy | null
  readonly etag: boolean
  /** The logger until the application starts, and also afterwards if `ownLogger` is `null`. */
  readonly logger: Logger
  /** Whether every response has an `X-Request-Id`. */
  readonly sendsRequestIds: boolean
  /** Whether the `X-Request-Id` of a client is used. */
  readonly trustRequestId: boolean
  /** The function that receives errors; `null` without the option. */
  readonly onError: ErrorReporter | null
  readonly ownLogger: LoggerSettings | null
  readonly strict: boolean
  /** The overrides for tests; `null` without the option. */
  readonly testOverrides: readonly Override[] | null
}
