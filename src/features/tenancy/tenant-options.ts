import { validateHeaderName } from 'node:http'
import type { Request, User } from '../../contracts/handler.js'
import type { Duration } from '../../contracts/limits.js'
import type { TenantStore, TenantStrategy } from '../../contracts/tenant.js'
import { invalid, type Problem, shown } from '../../errors/config-error.js'
import { type OptionGroup, type OptionNames, unknownOptions } from '../../errors/option-group.js'
import { toSeconds } from '../../http/units.js'
import { DEFAULT_PATTERN } from './tenant-context.js'
import type { TenantSettings, TenantSourceSettings } from './tenant-rules.js'

/** The options that determine how a request's tenant is found and confirmed. */
export interface TenantSourceOptions {
  /**
   * The header that contains the tenant ID; `false` for no header. It takes precedence over all other sources.
   *
   * @defaultValue `'x-tenant-id'`
   */
  readonly header?: string | false
  /**
   * The claim of the bearer token (a JWT) that contains the tenant ID. The token is not verified at this point, because
   * the guard verifies it.
   *
   * @defaultValue none
   */
  readonly jwtClaim?: string
  /**
   * Further sources: functions `(req) => id or undefined`. They are called in order if neither the header nor the claim
   * specifies a tenant. With `onMismatch: 'reject'`, all functions are called.
   *
   * @defaultValue none
   */
  readonly strategies?: readonly TenantStrategy[]
  /**
   * The pattern of tenant IDs. It must match the whole ID. Any other ID is refused with a 400 response. IDs with more
   * than 256 characters and names like `__proto__` are always refused.
   *
   * @defaultValue `/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/`
   */
  readonly pattern?: RegExp
  /**
   * How to handle two sources that specify different tenants. `'header'` uses the first tenant, in the order header,
   * claim, strategies; `'reject'` results in a 403 response.
   *
   * @defaultValue `'header'`
   */
  readonly onMismatch?: 'header' | 'reject'
  /**
   * The store of the tenants: `{ find(id) }`. Requests of an unknown tenant are refused with a 404 response, and
   * requests of a suspended tenant with a 403 response.
   *
   * @defaultValue every ID is a tenant
   */
  readonly store?: TenantStore
  /**
   * How long the result of `store` is cached for a tenant that exists, as a duration.
   *
   * @defaultValue `'60s'`
   */
  readonly positiveTtl?: Duration
  /**
   * How long the result of `store` is cached for a tenant that does not exist, as a duration.
   *
   * @defaultValue `'5s'`
   */
  readonly negativeTtl?: Duration
}

/** Options of `createTenantMiddleware`. */
export interface TenantMiddlewareOptions extends TenantSourceOptions {
  /**
   * Whether a request that specifies no tenant is refused with a 400 response.
   *
   * @defaultValue `false`
   */
  readonly required?: boolean
}

/**
 * The `tenant` option. It determines which tenant a request specifies. Only `authorize`, or a guard, can check whether
 * the client is allowed to act for the tenant.
 *
 * @example
 * tenant: { authorize: (req, id, user) => user?.tenants.includes(id) === true }
 */
export interface TenantOptions extends TenantSourceOptions {
  /**
   * Whether every route requires a tenant, except routes with `@Tenant({ optional: true })`. A request without a tenant
   * is then refused with a 400 response.
   *
   * @defaultValue `false`
   */
  readonly required?: boolean
  /**
   * Decides whether a request is allowed to act for the tenant that it specifies: `(req, tenantId, user)`. Only the
   * result `true` allows the request. With any other result, the request is refused with a 403 response. The function
   * runs after the guard, for requests that specify a tenant. It runs on every route except public routes without
   * `@Tenant`, such as a login. With `required`, it also runs on these routes. `user` is `undefined` if no guard has
   * set a user. Until `authorize` has decided, code runs without a tenant.
   *
   * @defaultValue every tenant is allowed
   * @see docs/tenancy.md#for-which-tenant-code-runs
   */
  readonly authorize?: (
    req: Request,
    tenantId: string,
    user: User | undefined,
  ) => boolean | Promise<boolean>
}

type Option = TenantOptions | undefined

const SOURCE_NAMES: OptionNames<TenantMiddlewareOptions> = {
  header: true,
  jwtClaim: true,
  strategies: 'sync',
  pattern: true,
  onMismatch: true,
  store: true,
  positiveTtl: true,
  negativeTtl: true,
  required: true,
}
const NAMES: OptionNames<TenantOptions> = { ...SOURCE_NAMES, authorize: true }
const HEADER = 'x-tenant-id'
const POSITIVE_SECONDS = 60
const NEGATIVE_SECONDS = 5

/**
 * Headers of which Node keeps only the first value, or whose values it joins without a comma. With such a header, a
 * second tenant in a repeated header would not be detected.
 */
const UNFIT = new Set(
  `age authorization content-length content-type cookie etag expires from host if-modified-since if-unmodified-since
  last-modified location max-forwards proxy-authorization referer retry-after server set-cookie user-agent`.split(
    /\s+/,
  ),
)

/**
 * The `tenant` option. A misspelt name causes an error, because with a misspelt `authorize`, a request could act for
 * every tenant.
 */
export const tenantGroup: OptionGroup<Option, TenantSettings | null> = {
  unknown: (tenant) => unknownOptions('tenant.', tenant, NAMES),
  check,
  resolve: (tenant) => (tenant === undefined ? null : resolve(tenant)),
}

/**
 * The options of `createTenantMiddleware`. There is no `authorize` option, because no guard runs before this
 * middleware.
 */
export const tenantSourceGroup: OptionGroup<TenantMiddlewareOptions, TenantSourceSettings> = {
  unknown: (options) => unknownOptions('createTenantMiddleware(): ', options, SOURCE_NAMES),
  check,
  resolve,
}

function resolve(options: TenantOptions): TenantSettings {
  const { header = HEADER, jwtClaim = null, strategies = [], pattern = DEFAULT_PATTERN } = options
  const { onMismatch = 'header', store = null, required = false, authorize = null } = options
  const { positiveTtl = POSITIVE_SECONDS, negativeTtl = NEGATIVE_SECONDS } = options
  return Object.freeze({
    header: header === false ? null : header.toLowerCase(),
    jwtClaim,
    strategies: Object.freeze([...strategies]),
    pattern,
    onMismatch,
    store,
    positiveMs: 1000 * (toSeconds(positiveTtl) ?? POSITIVE_SECONDS),
    negativeMs: 1000 * (toSeconds(negativeTtl) ?? NEGATIVE_SECONDS),
    isRequired: required,
    authorize,
    guards: [],
  })
}

function check(options: Option): Problem[] {
  if (options === undefined) return []
  if (typeof options !== 'object' || options === null) {
    return [invalid('tenant', 'It is not an object.', "Pass { header: 'x-tenant-id' }, or {}.")]
  }
  return [...checkSources(options), ...checkRules(options), ...checkTimes(options)]
}

function checkSources({ header, jwtClaim, strategies }: TenantOptions): Problem[] {
  const problems: Problem[] = []
  if (header !== undefined && header !== false) problems.push(...checkHeader(header))
  if (jwtClaim !== undefined && (typeof jwtClaim !== 'string' || jwtClaim === '')) {
    problems.push(
      invalid('tenant.jwtClaim', 'It is not a name.', "Pass the claim name: 'tenant_id'."),
    )
  }
  const isList = Array.isArray(strategies) && strategies.every((each) => typeof each === 'function')
  if (strategies !== undefined && !isList) {
    problems.push(
      invalid(
        'tenant.strategies',
        'It is not a list of functions.',
        'Pass [(req) => id or undefined].',
      ),
    )
  }
  return problems
}

function checkHeader(header: unknown): Problem[] {
  const remedy = "Pass a custom name such as 'x-tenant-id', or false."
  try {
    validateHeaderName(header as string)
  } catch {
    return [invalid('tenant.header', `${shown(header)} is not a header name.`, remedy)]
  }
  if (!UNFIT.has(String(header).toLowerCase())) return []
  const cause = `If a request has several ${header} headers, Node reports only one or joins them, so a second tenant would not be detected.`
  return [invalid('tenant.header', cause, remedy)]
}

function checkRules(options: TenantOptions): Problem[] {
  const { pattern, onMismatch, required, store, authorize } = options
  const problems: Problem[] = []
  if (pattern !== undefined && !(pattern instanceof RegExp)) {
    problems.push(invalid('tenant.pattern', 'It is not a regular expression.', 'Pass a RegExp.'))
  }
  if (![undefined, 'header', 'reject'].includes(onMismatch)) {
    const cause = `${shown(onMismatch)} is not a valid setting for requests that specify two tenants.`
    problems.push(invalid('tenant.onMismatch', cause, "Pass 'header' or 'reject'."))
  }
  if (required !== undefined && typeof required !== 'boolean') {
    problems.push(invalid('tenant.required', 'It is not a boolean.', 'Pass true or false.'))
  }
  if (store !== undefined && typeof (store as { find?: unknown } | null)?.find !== 'function') {
    problems.push(
      invalid('tenant.store', 'It has no method find.', 'Pass { find: (id) => tenant or null }.'),
    )
  }
  // If the value is not a function, no check would run, and every request would be allowed.
  if (authorize !== undefined && typeof authorize !== 'function') {
    const remedy = 'Pass (req, tenantId, user) => boolean.'
    problems.push(invalid('tenant.authorize', 'It is not a function.', remedy))
  }
  return problems
}

function checkTimes(options: TenantOptions): Problem[] {
  return (['positiveTtl', 'negativeTtl'] as const).flatMap((name) => {
    const value = options[name]
    if (value === undefined || toSeconds(value) !== undefined) return []
    return [
      invalid(
        `tenant.${name}`,
        `${shown(value)} is not a duration.`,
        "Pass seconds, or a string such as '30s'.",
      ),
    ]
  })
}
