import type { AuthOptions } from '../contracts/guard.js'
import type { SwaggerOptions } from '../contracts/openapi.js'
import type { Module } from '../contracts/provider.js'
import type { RateLimitOptions } from '../contracts/rate-limit.js'
import type { Problem } from '../errors/config-error.js'
import type { CacheSettings } from '../features/cache/check-cache.js'
import type { SecurityOptions } from '../features/security/security.js'
import type { TenantOptions } from '../features/tenancy/tenant-options.js'
import { swaggerList } from './check-swagger.js'
import type { AppOptions, LimitOptions, TimeoutOptions, ValidationOptions } from './options.js'

/** Every name an object of options knows; typed so that a new one cannot be forgotten. */
type Names<T> = Readonly<Record<keyof T, true>>

const OPTIONS: Names<AppOptions> = {
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
  timeouts: true,
  trustProxy: true,
  etag: true,
  logger: true,
  strict: true,
  testOverrides: true,
}
const AUTH: Names<AuthOptions> = { guard: true, default: true, can: true }
const SECURITY: Names<SecurityOptions> = { helmet: true, cors: true }
const TENANT: Names<TenantOptions> = {
  header: true,
  jwtClaim: true,
  strategies: true,
  pattern: true,
  onMismatch: true,
  store: true,
  positiveTtl: true,
  negativeTtl: true,
  required: true,
  authorize: true,
}
const SWAGGER: Names<SwaggerOptions> = {
  enabled: true,
  path: true,
  title: true,
  version: true,
  description: true,
  termsOfService: true,
  contact: true,
  license: true,
  servers: true,
  tags: true,
  include: true,
  converters: true,
}
const RATE_LIMIT: Names<RateLimitOptions> = {
  limit: true,
  window: true,
  by: true,
  name: true,
  policies: true,
  store: true,
}
const CACHE: Names<CacheSettings> = { store: true, defaultTtl: true, headers: true }
const LIMITS: Names<LimitOptions> = { body: true, depth: true, headers: true }
const VALIDATION: Names<ValidationOptions> = { messages: true }
const TIMEOUTS: Names<TimeoutOptions> = {
  handler: true,
  headers: true,
  request: true,
  keepAlive: true,
  close: true,
}
const MODULE: Names<Module> = {
  name: true,
  imports: true,
  providers: true,
  controllers: true,
  exports: true,
}

/** Names that no option has: a typing error, or an option of another version. */
export function checkNames(options: AppOptions): Problem[] {
  const modules = Array.isArray(options.modules) ? options.modules : []
  return [
    ...unknownNames('', options, OPTIONS),
    // A guard that is misspelt is no guard: this one does not start.
    ...unknownNames('auth.', options.auth, AUTH).map(fatal),
    ...unknownNames('security.', options.security, SECURITY),
    // As is a tenant that is not checked.
    ...unknownNames('tenant.', options.tenant, TENANT).map(fatal),
    ...swaggerList(options).flatMap((each) => unknownNames('swagger.', each, SWAGGER)),
    ...unknownNames('rateLimit.', rateLimitOf(options), RATE_LIMIT),
    ...unknownNames('cache.', options.cache, CACHE),
    ...unknownNames('limits.', options.limits, LIMITS),
    // As are messages that go on repeating what they should not.
    ...unknownNames('validation.', options.validation, VALIDATION).map(fatal),
    ...unknownNames('timeouts.', options.timeouts, TIMEOUTS),
    ...modules.flatMap((module, i) => unknownNames(`modules[${i}].`, module, MODULE)),
  ]
}

/** Names that `createTenantMiddleware` does not know. `authorize` is one: whoever gave it there would think that it is asked. */
export function checkTenantNames(options: object): Problem[] {
  const { authorize: _, ...known } = TENANT
  return unknownNames('createTenantMiddleware(): ', options, known).map(fatal)
}

function rateLimitOf({ rateLimit }: AppOptions): RateLimitOptions | undefined {
  return typeof rateLimit === 'object' ? rateLimit : undefined
}

function unknownNames(path: string, value: object | undefined, names: object): Problem[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.keys(value)
    .filter((name) => !Object.hasOwn(names, name))
    .map((name) => ({
      code: 'W_OPTION_UNKNOWN',
      subject: `${path}${name}`,
      cause: 'It is not an option of this version, and has no effect.',
      remedy: `The options here are: ${Object.keys(names).join(', ')}.`,
    }))
}

function fatal(problem: Problem): Problem {
  return { ...problem, code: 'E_OPTION_INVALID' }
}
