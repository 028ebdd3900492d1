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
import type { TimeoutSettings } from './timeout-options.js'
import type { TrustProxy } from './trust-proxy.js'
import type { ValidationSettings } from './validation-options.js'

/**
 * The options of an application once they are checked: defaults are filled in, units are converted and stand in the names, and
 * everything is frozen. Boot and all behind it read this, and never an option.
 */
export interface Settings {
  readonly controllers: readonly Class[]
  readonly modules: readonly Module[]
  readonly providers: readonly Provider[]
  /** The middlewares of the application, then those of its plugins, out of the lists they stand in. */
  readonly middlewares: readonly NamedMiddleware[]
  readonly plugins: readonly Plugin[]
  readonly auth: AuthSettings
  readonly security: SecuritySettings
  /** `null` where the application leaves tenants to its own middlewares. */
  readonly tenant: TenantSettings | null
  /** Every document; at least one, which may not be served. */
  readonly swagger: readonly DocumentSettings[]
  /** The converters of all documents. */
  readonly converters: SchemaConverters
  readonly cache: ResolvedCache
  readonly rateLimit: RateLimitSettings
  readonly limits: LimitSettings
  readonly validation: ValidationSettings
  readonly timeouts: TimeoutSettings
  /** `null` where nothing is said: a host that the application is mounted in decides then. */
  readonly trustProxy: TrustProxy | null
  readonly etag: boolean
  readonly logger: Logger
  readonly strict: boolean
  /** `null` where none are given. */
  readonly testOverrides: readonly Override[] | null
}
