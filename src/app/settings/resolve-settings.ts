import { ConfigError, type Problem } from '../../errors/config-error.js'
import { invalid } from '../../errors/invalid.js'
import { type OptionNames, unknownNames } from '../../errors/option-group.js'
import { standInProblems } from '../../errors/stand-in.js'
import { capacityGroup } from '../../features/capacity/capacity-options.js'
import { healthGroup } from '../../features/health/health-options.js'
import { metricsGroup } from '../../features/metrics/metrics-options.js'
import { outgoingGroup } from '../../features/outgoing/outgoing-options.js'
import { securityGroup } from '../../features/security/security-options.js'
import { swaggerGroup } from '../../openapi/swagger-options.js'
import type { NamedMiddleware } from '../tenancy/check-routers.js'
import type { AppOptions } from './app-options.js'
import { type AuthSettings, authGroup } from './auth-options.js'
import { cacheGroup } from './cache-options.js'
import { cookieGroup } from './cookie-options.js'
import { checkAppEnvelope } from './envelope-option.js'
import { errorGroup, errorsWith } from './error-options.js'
import { limitGroup } from './limit-options.js'
import {
  checkControllers,
  checkInterceptors,
  checkLists,
  checkMiddlewareTypes,
  checkOverrides,
  checkPluginFunctions,
  unknownInLists,
} from './list-options.js'
import { checkLogger, loggerOf, ownLoggerOf } from './logger-options.js'
import { logsGroup } from './logs-options.js'
import { checkPluginMiddlewares, namedMiddlewares } from './named-middlewares.js'
import { checkObjects } from './object-options.js'
import { checkOperating } from './operating-options.js'
import { prefixGroup, statusGroup } from './path-options.js'
import { rateLimitGroup } from './rate-limit-options.js'
import { recordsGroup } from './records-options.js'
import { responseGroup } from './response-options.js'
import type { Settings } from './settings.js'
import { tenantGroup } from './tenant-options.js'
import { timeoutGroup } from './timeout-options.js'
import { checkTrustProxy } from './trust-proxy.js'
import { validationGroup } from './validation-options.js'

const NAMES: OptionNames<AppOptions> = {
  controllers: true,
  modules: true,
  prefix: true,
  defaultStatus: true,
  providers: true,
  middlewares: true,
  interceptors: true,
  plugins: true,
  auth: true,
  security: true,
  tenant: true,
  swagger: true,
  openapi: true,
  rateLimit: true,
  cache: true,
  limits: true,
  cookies: true,
  validation: true,
  envelope: true,
  errors: true,
  responses: true,
  health: true,
  metrics: true,
  capacity: true,
  outgoing: true,
  records: true,
  timeouts: true,
  trustProxy: true,
  etag: true,
  logs: true,
  logger: true,
  requestIds: true,
  trustRequestId: true,
  onError: true,
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
  return resolve(options, standInProblems(madeByFactories(options)))
}

/** As {@link resolveSettings}, and stand-ins of factories are valid: they have what the rest of an application is read with. */
export function resolveWithStandIns(options: AppOptions): Resolved {
  return resolve(options, [])
}

function resolve(options: AppOptions, ofFactories: readonly Problem[]): Resolved {
  const middlewares = namedMiddlewares(options)
  const problems = [...ofFactories, ...findUnknown(options), ...check(options, middlewares)]
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
    ...documentProblems(options, swaggerGroup.unknown),
    ...rateLimitGroup.unknown(options.rateLimit),
    ...cacheGroup.unknown(options.cache),
    ...limitGroup.unknown(options.limits),
    ...cookieGroup.unknown(options.cookies),
    ...validationGroup.unknown(options.validation),
    ...errorGroup.unknown(options.errors),
    ...responseGroup.unknown(options.responses),
    ...healthGroup.unknown(options.health),
    ...metricsGroup.unknown(options.metrics),
    ...capacityGroup.unknown(options.capacity),
    ...outgoingGroup.unknown(options.outgoing),
    ...recordsGroup.unknown(options.records),
    ...timeoutGroup.unknown(options.timeouts),
    ...logsGroup.unknown(options.logs),
    ...unknownInLists(options),
    ...statusGroup.unknown(options.defaultStatus),
  ]
}

/** Parts that factories with options of their own make. */
function madeByFactories({ auth, plugins, cache, rateLimit }: AppOptions): readonly unknown[] {
  const { guard, guards = {} } = auth ?? {}
  const store = typeof rateLimit === 'object' ? rateLimit?.store : undefined
  const all = [guard, ...Object.values(guards ?? {}), ...[plugins].flat(), cache?.store, store]
  return [...new Set<unknown>(all)]
}

function check(options: AppOptions, middlewares: readonly NamedMiddleware[]): Problem[] {
  return [
    ...checkObjects(options),
    ...checkLists(options),
    ...checkPluginMiddlewares(options),
    ...checkPluginFunctions(options),
    ...checkMiddlewareTypes(middlewares),
    ...checkInterceptors(options),
    ...healthGroup.check(options.health),
    ...metricsGroup.check(options.metrics),
    ...capacityGroup.check(options.capacity),
    ...outgoingGroup.check(options.outgoing),
    ...recordsGroup.check(options.records),
    ...timeoutGroup.check(options.timeouts),
    ...limitGroup.check(options.limits),
    ...cookieGroup.check(options.cookies),
    ...checkControllers(options),
    ...authGroup.check(options.auth),
    ...checkLogger(options.logger),
    ...checkOperating(options),
    ...logsGroup.check(options.logs),
    ...checkTrustProxy(options.trustProxy),
    ...rateLimitGroup.check(options.rateLimit),
    ...checkOverrides(options),
    ...securityGroup.check(options.security),
    ...tenantGroup.check(options.tenant),
    ...documentProblems(options, swaggerGroup.check),
    ...cacheGroup.check(options.cache),
    ...validationGroup.check(options.validation),
    ...prefixGroup.check(options.prefix),
    ...statusGroup.check(options.defaultStatus),
    ...checkAppEnvelope(options),
    ...errorGroup.check(options.errors),
    ...responseGroup.check(options.responses),
  ]
}

/** The problems of the options of documents, under the name that the application has used. */
function documentProblems(
  { openapi, swagger }: AppOptions,
  find: (option: AppOptions['swagger']) => Problem[],
): Problem[] {
  if (openapi === undefined) return find(swagger)
  const problems = find(openapi).map((problem) => ({
    ...problem,
    subject: problem.subject.replace(/^swagger/, 'openapi'),
  }))
  if (swagger === undefined || find === swaggerGroup.unknown) return problems
  const cause = '`openapi` and `swagger` are two names of one option, and both are given.'
  return [invalid('openapi', cause, 'Keep one of them.'), ...problems]
}

function toSettings(options: AppOptions, middlewares: readonly NamedMiddleware[]): Settings {
  const { trustProxy = null, etag = false, strict = false, testOverrides } = options
  const { envelope = true, requestIds, trustRequestId = false, onError = null } = options
  const swagger = swaggerGroup.resolve(options.openapi ?? options.swagger)
  const auth = authGroup.resolve(options.auth)
  const logs = logsGroup.resolve(options.logs)
  return Object.freeze({
    controllers: copyOf(options.controllers),
    modules: copyOf(options.modules),
    prefix: prefixGroup.resolve(options.prefix),
    defaultStatus: statusGroup.resolve(options.defaultStatus),
    providers: copyOf(options.providers),
    middlewares: Object.freeze(middlewares),
    interceptors: copyOf(options.interceptors),
    plugins: copyOf(options.plugins),
    auth,
    security: securityGroup.resolve(options.security),
    tenant: tenantSettings(options.tenant, auth),
    swagger,
    converters: Object.freeze(Object.assign({}, ...swagger.map((each) => each.converters))),
    cache: cacheGroup.resolve(options.cache),
    rateLimit: rateLimitGroup.resolve(options.rateLimit),
    limits: limitGroup.resolve(options.limits),
    cookies: cookieGroup.resolve(options.cookies),
    validation: validationGroup.resolve(options.validation),
    envelope,
    errors: errorsWith(envelope, errorGroup.resolve(options.errors)),
    responses: responseGroup.resolve(options.responses),
    health: healthGroup.resolve(options.health),
    metrics: metricsGroup.resolve(options.metrics),
    capacity: capacityGroup.resolve(options.capacity),
    outgoing: outgoingGroup.resolve(options.outgoing),
    records: recordsGroup.resolve(options.records),
    timeouts: timeoutGroup.resolve(options.timeouts),
    trustProxy,
    etag,
    logs,
    logger: loggerOf(options.logger),
    sendsRequestIds: requestIds ?? logs !== null,
    trustsRequestId: trustRequestId,
    onError,
    ownLogger: ownLoggerOf(options.logger, logs !== null),
    strict,
    testOverrides: testOverrides === undefined ? null : copyOf(testOverrides),
  })
}

/**
 * The settings of tenants, with the guards that may confirm them. A guard alone gives an application no tenants: keys
 * and sessions have the tenant of their credential in any application.
 */
function tenantSettings(
  option: AppOptions['tenant'],
  { guards }: AuthSettings,
): Settings['tenant'] {
  const settings = tenantGroup.resolve(option)
  return settings === null ? null : Object.freeze({ ...settings, guards })
}

function copyOf<T>(list: readonly T[] | undefined): readonly T[] {
  return Object.freeze([...(list ?? [])])
}
