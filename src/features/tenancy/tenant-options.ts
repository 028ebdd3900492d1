import { validateHeaderName } from 'node:http'
import type { Request, User } from '../../contracts/handler.js'
import type { Duration } from '../../contracts/limits.js'
import type { TenantStore, TenantStrategy } from '../../contracts/tenant.js'
import { invalid, type Problem, shown } from '../../errors/config-error.js'
import { type OptionGroup, type OptionNames, unknownOptions } from '../../errors/option-group.js'
import { toSeconds } from '../../http/units.js'
import { DEFAULT_PATTERN, type TenantSettings, type TenantSourceSettings } from './tenant-rules.js'

/** The sources of a request's tenant, and how that tenant is confirmed. */
export interface TenantSourceOptions {
  /**
   * The header that contains the tenant ID; `false` for no header. It takes precedence over all other sources.
   *
   * @defaultValue `'x-tenant-id'`
   */
  readonly header?: string | false
  /**
   * The claim of the bearer token (a JWT) that contains the tenant ID. The token is not verified here, because the
   * guard verifies it.
   *
   * @defaultValue none
   */
  readonly jwtClaim?: string
  /**
   * Further sources: functions `(req) => id or undefined`. They are called in order when neither the header nor the
   * claim specifies a tenant. With `onMismatch: 'reject'`, all functions are called.
   *
   * @defaultValue none
   */
  readonly strategies?: readonly TenantStrategy[]
  /**
   * The pattern of tenant IDs. It must match the whole ID. Any other ID is refused with 400. IDs with more than 256
   * characters and names like `__proto__` are always refused.
   *
   * @defaultValue `/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/`
   */
  readonly pattern?: RegExp
  /**
   * How to handle two sources that specify different tenants. `'header'` uses the first tenant, in the order header,
   * claim, strategies; `'reject'` responds with 403.
   *
   * @defaultValue `'header'`
   */
  readonly onMismatch?: 'header' | 'reject'
  /**
   * The store of the tenants: `{ find(id) }`. An unknown tenant is refused with 404, and a suspended tenant with 403.
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
   * Whether a request that specifies no tenant is refused with 400.
   *
   * @defaultValue `false`
   */
  readonly required?: boolean
}

/**
 * The `tenant` option. It identifies the tenant that a request specifies. Only `authorize` checks whether the client
 * may act for that tenant.
 *
 * @example
 * tenant: { authorize: (req, id, user) => user?.tenants.includes(id) === true }
 */
export interface TenantOptions extends TenantSourceOptions {
  /**
   * Whether every route requires a tenant, except routes with `@Tenant({ optional: true })`. A request without
   * a tenant is refused with 400.
   *
   * @defaultValue `false`
   */
  readonly required?: boolean
  /**
   * Decides whether a request may act for the tenant that it specifies: `(req, tenantId, user)`. Only the result `true`
   * allows the request; with any other result, it is refused with 403. The function runs after the guard, for requests
   * that specify a tenant, on every route except public routes without `@Tenant`, such as a login. `user` is
   * `undefined` when no guard has set one. Until `authorize` has decided, code runs without a tenant.
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
 * Headers for which Node keeps only the first value, or joins several values without a comma. A second tenant in a
 * repeated header would not be detected.
 */
const UNFIT = new Set(
  `age authorization content-length content-type cookie etag expires from host if-modified-since if-unmodified-since
  last-modified location max-forwards proxy-authorization referer retry-after server set-cookie user-agent`.split(
    /\s+/,
  ),
)

/** The `tenant` option. A misspelt name is an error, because the misspelt option may be the check of the tenant. */
export const tenantGroup: OptionGroup<Option, TenantSettings | null> = {
  unknown: (tenant) => unknownOptions('tenant.', tenant, NAMES),
  check,
  resolve: (tenant) => (tenant === undefined ? null : resolve(tenant)),
}

/**
 * The options of `createTenantMiddleware`. They have no `authorize`, because no guard runs before that
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
  // A value that is not a function would check nothing, so every request would be allowed.
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
