import { ConfigError, type Problem } from '../../errors/config-error.js'
import { type Names, unknownNames } from '../../errors/option-group.js'
import { cacheGroup } from '../../features/cache/cache-options.js'
import { rateLimitGroup } from '../../features/rate-limit/rate-limit-options.js'
import { securityGroup } from '../../features/security/security-options.js'
import type { NamedMiddleware } from '../../features/tenancy/check-routers.js'
import { tenantGroup } from '../../features/tenancy/tenant-options.js'
import { swaggerGroup } from '../../openapi/swagger-options.js'
import type { AppOptions } from './app-options.js'
import { authGroup } from './auth-options.js'
import { limitGroup } from './limit-options.js'
import {
  checkControllers,
  checkLists,
  checkMiddlewareTypes,
  checkOverrides,
  unknownInModules,
} from './list-options.js'
import { checkLogger, loggerOf } from './logger-option.js'
import { namedMiddlewares } from './named-middlewares.js'
import { responseGroup } from './response-options.js'
import type { Settings } from './settings.js'
import { timeoutGroup } from './timeout-options.js'
import { checkTrustProxy } from './trust-proxy.js'
import { validationGroup } from './validation-options.js'

const NAMES: Names<AppOptions> = {
  controllers: true,
  modules: true,
  providers: true,
  middlewares: true,
  plugins: true,
  auth: true,
  security: true,
  tenant: true,
  swagger: true,
  rateLimit: true,
  cache: true,
  limits: true,
  validation: true,
  responses: true,
  timeouts: true,
  trustProxy: true,
  etag: true,
  logger: true,
  strict: true,
  testOverrides: true,
}

/** The result of reading the options. */
export interface Resolved {
  readonly settings: Settings
  /** Suspicious options. They are valid, so the settings are complete. */
  readonly warnings: readonly Problem[]
}

/**
 * Checks options and turns them into settings. An invalid value is an error and never becomes a default. To add
 * a group of options, add a field to `app-options.ts` and to `settings.ts`, and a line to each function of this
 * file.
 *
 * @throws ConfigError with every error in the options themselves.
 */
export function resolveSettings(options: AppOptions): Resolved {
  const middlewares = namedMiddlewares(options)
  const problems = [...findUnknown(options), ...check(options, middlewares)]
  const errors = problems.filter(({ code }) => code.startsWith('E_'))
  if (errors.length > 0) throw new ConfigError(errors)
  return { settings: toSettings(options, middlewares), warnings: problems }
}

function findUnknown(options: AppOptions): Problem[] {
  return [
    ...unknownNames('', options, NAMES),
    ...authGroup.unknown(options.auth),
    ...securityGroup.unknown(options.security),
    ...tenantGroup.unknown(options.tenant),
    ...swaggerGroup.unknown(options.swagger),
    ...rateLimitGroup.unknown(options.rateLimit),
    ...cacheGroup.unknown(options.cache),
    ...limitGroup.unknown(options.limits),
    ...validationGroup.unknown(options.validation),
    ...responseGroup.unknown(options.responses),
    ...timeoutGroup.unknown(options.timeouts),
    ...unknownInModules(options),
  ]
}

function check(options: AppOptions, middlewares: readonly NamedMiddleware[]): Problem[] {
  return [
    ...checkLists(options),
    ...checkMiddlewareTypes(middlewares),
    ...timeoutGroup.check(options.timeouts),
    ...limitGroup.check(options.limits),
    ...checkControllers(options),
    ...authGroup.check(options.auth),
    ...checkLogger(options.logger),
    ...checkTrustProxy(options.trustProxy),
    ...rateLimitGroup.check(options.rateLimit),
    ...checkOverrides(options),
    ...securityGroup.check(options.security),
    ...tenantGroup.check(options.tenant),
    ...swaggerGroup.check(options.swagger),
    ...cacheGroup.check(options.cache),
    ...validationGroup.check(options.validation),
    ...responseGroup.check(options.responses),
  ]
}

function toSettings(options: AppOptions, middlewares: readonly NamedMiddleware[]): Settings {
  const { trustProxy = null, etag = false, strict = false, testOverrides } = options
  const swagger = swaggerGroup.resolve(options.swagger)
  return Object.freeze({
    controllers: copyOf(options.controllers),
    modules: copyOf(options.modules),
    providers: copyOf(options.providers),
    middlewares: Object.freeze(middlewares),
    plugins: copyOf(options.plugins),
    auth: authGroup.resolve(options.auth),
    security: securityGroup.resolve(options.security),
    tenant: tenantGroup.resolve(options.tenant),
    swagger,
    converters: Object.freeze(Object.assign({}, ...swagger.map((each) => each.converters))),
    cache: cacheGroup.resolve(options.cache),
    rateLimit: rateLimitGroup.resolve(options.rateLimit),
    limits: limitGroup.resolve(options.limits),
    validation: validationGroup.resolve(options.validation),
    responses: responseGroup.resolve(options.responses),
    timeouts: timeoutGroup.resolve(options.timeouts),
    trustProxy,
    etag,
    logger: loggerOf(options.logger),
    strict,
    testOverrides: testOverrides === undefined ? null : copyOf(testOverrides),
  })
}

function copyOf<T>(list: readonly T[] | undefined): readonly T[] {
  return Object.freeze([...(list ?? [])])
}
