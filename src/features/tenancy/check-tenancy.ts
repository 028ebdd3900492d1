import { validateHeaderName } from 'node:http'
import type { RouteModel } from '../../contracts/route-model.js'
import type { Problem } from '../../errors/config-error.js'
import { toSeconds } from '../../http/units.js'
import type { TenantOptions } from './tenant-options.js'

/** Headers of which Node keeps the first and drops the rest, or joins them otherwise than with a comma: a repeated one would go unseen. */
const UNFIT = new Set(
  `age authorization content-length content-type cookie etag expires from host if-modified-since if-unmodified-since
  last-modified location max-forwards proxy-authorization referer retry-after server set-cookie user-agent`.split(
    /\s+/,
  ),
)

function invalid(name: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject: `tenant${name}`, cause, remedy }
}

/** What is wrong with the `tenant` option. */
export function checkTenancy(options: TenantOptions | undefined): Problem[] {
  if (options === undefined) return []
  if (typeof options !== 'object' || options === null) {
    return [invalid('', 'It is no object.', "Give { header: 'x-tenant-id' }, or {}.")]
  }
  return [...checkSources(options), ...checkRules(options), ...checkTimes(options)]
}

function checkSources({ header, jwtClaim, strategies }: TenantOptions): Problem[] {
  const problems: Problem[] = []
  if (header !== undefined && header !== false) problems.push(...checkHeader(header))
  if (jwtClaim !== undefined && (typeof jwtClaim !== 'string' || jwtClaim === '')) {
    problems.push(invalid('.jwtClaim', 'It is not a name.', "Name the claim: 'tenant_id'."))
  }
  const isList = Array.isArray(strategies) && strategies.every((each) => typeof each === 'function')
  if (strategies !== undefined && !isList) {
    problems.push(
      invalid('.strategies', 'It is not a list of functions.', 'Give [(req) => id or undefined].'),
    )
  }
  return problems
}

function checkHeader(header: unknown): Problem[] {
  const remedy = "Give a name of your own: 'x-tenant-id'; or false."
  try {
    validateHeaderName(header as string)
  } catch {
    return [invalid('.header', `${shown(header)} is not the name of a header.`, remedy)]
  }
  if (!UNFIT.has(String(header).toLowerCase())) return []
  const cause = `Of several ${header} headers in one request, Node shows one, or joins them: a second tenant would go unseen.`
  return [invalid('.header', cause, remedy)]
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

function checkRules(options: TenantOptions): Problem[] {
  const { pattern, onMismatch, required, store, authorize } = options
  const problems: Problem[] = []
  if (pattern !== undefined && !(pattern instanceof RegExp)) {
    problems.push(invalid('.pattern', 'It is not a regular expression.', 'Give a RegExp.'))
  }
  if (![undefined, 'header', 'reject'].includes(onMismatch)) {
    const cause = `${shown(onMismatch)} is not a way to treat two tenants in one request.`
    problems.push(invalid('.onMismatch', cause, "Give 'header' or 'reject'."))
  }
  if (required !== undefined && typeof required !== 'boolean') {
    problems.push(invalid('.required', 'It is neither true nor false.', 'Give one of them.'))
  }
  if (store !== undefined && typeof (store as { find?: unknown } | null)?.find !== 'function') {
    problems.push(
      invalid('.store', 'It has no method find.', 'Give { find: (id) => tenant or null }.'),
    )
  }
  // What looks like a check and is none would let everybody in.
  if (authorize !== undefined && typeof authorize !== 'function') {
    const remedy = 'Give (req, tenantId, user) => boolean.'
    problems.push(invalid('.authorize', 'It is not a function.', remedy))
  }
  return problems
}

function checkTimes(options: TenantOptions): Problem[] {
  return (['positiveTtl', 'negativeTtl'] as const).flatMap((name) => {
    const value = options[name]
    if (value === undefined || toSeconds(value) !== undefined) return []
    return [
      invalid(`.${name}`, `${shown(value)} is not a duration.`, "Give seconds, or '30s', '5m'."),
    ]
  })
}

/** What else of an application decides whether its tenants are safe, or there at all. */
export interface TenancySetting {
  readonly options: TenantOptions | undefined
  readonly routes: readonly RouteModel[]
  readonly hasGuard: boolean
  readonly hasMiddlewares: boolean
  readonly isProduction: boolean
}

/** What is suspicious about the tenancy of an application. */
export function warnOfTenancy(setting: TenancySetting): Problem[] {
  return [...warnOfTrust(setting), ...warnOfSources(setting)]
}

function warnOfTrust({ options, hasGuard, isProduction }: TenancySetting): Problem[] {
  if (!isProduction || options === undefined || hasGuard || options.authorize) return []
  return [
    {
      code: 'W_TENANT_UNVERIFIED',
      subject: 'tenant',
      cause:
        'The request alone names its tenant, and nothing checks whether the client may act for that tenant: any client can name any tenant.',
      remedy: 'Configure `tenant.authorize`, or `auth.guard` and check the tenant there.',
    },
  ]
}

function warnOfSources({ options, routes, hasMiddlewares }: TenancySetting): Problem[] {
  if (hasMiddlewares || hasSource(options)) return []
  const names = routes
    .filter(({ tenant }) => tenant !== null && !tenant.isOptional)
    .map(({ name }) => name)
  if (names.length === 0) return []
  return [
    {
      code: 'W_TENANT_WITHOUT_SOURCE',
      subject: names.join(', '),
      cause:
        'It needs a tenant, and nothing in the application can name one: the response will always be 400.',
      remedy: 'Configure `tenant`, or a middleware that calls runWithTenant(id, next).',
    },
  ]
}

function hasSource(options: TenantOptions | undefined): boolean {
  if (options === undefined) return false
  const { header, jwtClaim, strategies = [] } = options
  return header !== false || jwtClaim !== undefined || strategies.length > 0
}
