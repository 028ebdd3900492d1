import type { Logger } from '../../contracts/logger.js'
import type { SchemaConverters } from '../../contracts/openapi.js'
import type { Plugin } from '../../contracts/plugin.js'
import type { Class, Module, Provider } from '../../contracts/provider.js'
import type { Override } from '../../di/build-container.js'
import type { ResolvedCache } from '../../features/cache/cache-options.js'
import type { RateLimitSettings } from '../../features/rate-limit/rate-limit-options.js'
import type { SecuritySettings } from '../../features/security/security-options.js'
import type { NamedMiddleware } from '../../features/tenancy/check-routers.js'
import type { TenantSettings } from '../../features/tenancy/tenant-options.js'
import type { DocumentSettings } from '../../openapi/swagger-options.js'
import type { AuthSettings } from './auth-options.js'
import type { LimitSettings } from './limit-options.js'
import type { ResponseSettings } from './response-options.js'
import type { TimeoutSettings } from './timeout-options.js'
import type { TrustProxy } from './trust-proxy.js'
import type { ValidationSettings } from './validation-options.js'

/**
 * The options of an application after the checks. Defaults are filled in, values are converted to the unit that
 * their name states (`bodyBytes`, `closeMs`), and everything is frozen. Boot and all later code read these
 * settings and never the options.
 */
export interface Settings {
  readonly controllers: readonly Class[]
  readonly modules: readonly Module[]
  readonly providers: readonly Provider[]
  /** The middlewares of the application, then those of its plugins, with nested lists flattened. */
  readonly middlewares: readonly NamedMiddleware[]
  readonly plugins: readonly Plugin[]
  readonly auth: AuthSettings
  readonly security: SecuritySettings
  /** `null` without the `tenant` option. The middlewares of the application may then still set tenants. */
  readonly tenant: TenantSettings | null
  /** All documents: at least one, even if none is served. */
  readonly swagger: readonly DocumentSettings[]
  /** The schema converters of all documents together. */
  readonly converters: SchemaConverters
  readonly cache: ResolvedCache
  readonly rateLimit: RateLimitSettings
  readonly limits: LimitSettings
  readonly validation: ValidationSettings
  readonly responses: ResponseSettings
  readonly timeouts: TimeoutSettings
  /**
   * `null` without the option. If the application is mounted in a host, the setting of the host then counts.
   */
  readonly trustProxy: TrustProxy | null
  readonly etag: boolean
  readonly logger: Logger
  readonly strict: boolean
  /** `null` without the option. */
  readonly testOverrides: readonly Override[] | null
}
