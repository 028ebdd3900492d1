import type { ContractOf, ContractParameter } from '../../contracts/route-contract.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { JsonSchema } from '../../contracts/schema.js'
import { type Problem, sharedProblem } from '../../errors/config-error.js'
import type { Feature } from '../../step/feature.js'
import { tenancyOf } from './tenant.js'
import { hasTenantGuard, isVerified, needsTenant, type TenantSettings } from './tenant-rules.js'

/** The settings that tenancy depends on. */
export interface TenancySettings {
  readonly tenant: TenantSettings | null
  readonly middlewares: readonly unknown[]
}

/** The `tenant` option and `@Tenant`. The steps have their own places in the route. */
export const tenancy: Feature<TenancySettings> = {
  name: 'tenant',
  compare: ({ settings: { tenant, middlewares }, model }) => {
    const setting: TenancySetting = {
      ...model,
      tenant,
      hasMiddlewares: middlewares.length > 0,
      isProduction: process.env['NODE_ENV'] === 'production',
    }
    return warnOfTenancy(setting)
  },
  contract: ({ tenant }) => tenantResponses(tenant),
  facts: ({ tenant }) => tenantFacts(tenant),
}

/**
 * The facts about an application that decide whether its tenants are verified, and whether requests can specify them.
 */
interface TenancySetting {
  readonly tenant: TenantSettings | null
  readonly routes: readonly RouteModel[]
  readonly hasGuard: boolean
  readonly hasMiddlewares: boolean
  readonly isProduction: boolean
}

function warnOfTenancy(setting: TenancySetting): Problem[] {
  return [...warnOfTrust(setting), ...warnOfSources(setting)]
}

function warnOfTrust({ tenant, hasGuard, isProduction }: TenancySetting): Problem[] {
  if (!isProduction || tenant === null || tenant.authorize !== null) return []
  if (hasGuard) return warnOfGuards(tenant)
  return [
    {
      code: 'W_TENANT_UNVERIFIED',
      subject: 'tenant',
      cause:
        'Only the request specifies its tenant, and no check ensures that the client is allowed to act for that tenant: any client can specify any tenant.',
      remedy: 'Configure `tenant.authorize`, or `auth.guard` with a guard that has `tenantOf`.',
    },
  ]
}

/**
 * Warns about guards that only identify the user. Such a guard accepts a user of one tenant in a request that specifies
 * another tenant.
 */
function warnOfGuards({ guards }: TenantSettings): Problem[] {
  const silent = guards.filter(
    ({ confirmsTenant, checksTenant }) => !confirmsTenant && !checksTenant,
  )
  if (silent.length === 0) return []
  return [
    {
      code: 'W_TENANT_UNVERIFIED',
      subject: silent
        .map(({ name }) => (name === null ? 'auth.guard' : `auth.guards.${name}`))
        .join(', '),
      cause:
        'It does not confirm the tenant of a request: a user of one tenant can specify any other tenant.',
      remedy:
        'Configure `tenant.authorize`, or add `tenantOf` to the guard. If `canActivate` checks the tenant itself, set `checksTenant: true` on the guard.',
    },
  ]
}

function warnOfSources({ tenant: settings, routes, hasMiddlewares }: TenancySetting): Problem[] {
  if (hasMiddlewares || hasSource(settings)) return []
  const needing = routes.filter((route) => needsTenant(route, null))
  return sharedProblem(needing, {
    code: 'W_TENANT_WITHOUT_SOURCE',
    cause:
      'It needs a tenant, but the application has no source of tenants: every request gets a 400 response.',
    remedy: 'Configure `tenant`, or a middleware that calls runWithTenant(id, next).',
  })
}

function hasSource(tenant: TenantSettings | null): boolean {
  if (tenant === null) return false
  const { header, jwtClaim, strategies, guards } = tenant
  if (guards.some(({ confirmsTenant }) => confirmsTenant)) return true
  return header !== null || jwtClaim !== null || strategies.length > 0
}

/** The facts about the `tenant` option that affect the OpenAPI document, as plain data. */
interface TenantFacts {
  readonly header: string | null
  /** Whether the header is the only source of a request's tenant. */
  readonly isOnlySource: boolean
  readonly isRequired: boolean
  /** Whether there is an `authorize` function, which can refuse a tenant. */
  readonly isAuthorized: boolean
  /** The guards that confirm tenants. */
  readonly guards: readonly (string | null)[]
  /** The pattern of tenant IDs; `null` if its flags have no equivalent in JSON Schema. */
  readonly pattern: string | null
  /** The statuses of responses that refuse a well-formed tenant ID. */
  readonly errors: readonly number[]
}

function tenantFacts(settings: TenantSettings | null): TenantFacts | null {
  if (settings === null) return null
  const { header, jwtClaim, strategies, pattern, store } = settings
  const isPlain = pattern.flags.replace(/[dgmyu]/g, '') === ''
  return {
    header,
    isOnlySource: jwtClaim === null && strategies.length === 0,
    isRequired: settings.isRequired,
    isAuthorized: settings.authorize !== null,
    guards: settings.guards.filter((each) => each.confirmsTenant).map(({ name }) => name),
    pattern: isPlain ? anchored(pattern.source) : null,
    errors: [
      ...(settings.onMismatch === 'reject' ? [403] : []),
      // 403 for a suspended tenant, 404 for an unknown tenant, 503 if the store fails.
      ...(store === null ? [] : [403, 404, 503]),
    ],
  }
}

/** Adds the tenant header and the tenancy error responses to the operations that need them. */
function tenantResponses(settings: TenantSettings | null): ContractOf {
  const facts = tenantFacts(settings)
  if (facts === null) {
    return (route) => (tenancyOf(route) === undefined ? null : { errors: [400] })
  }
  // All routes share one object, because the document describes each schema object once.
  const schema = schemaOfId(facts)
  return function responsesOf(route) {
    const isNeeded = needsTenant(route, settings)
    const isNamed = tenancyOf(route) !== undefined || isNeeded
    // The header is optional if the credential can also specify the tenant.
    const isHeaderNeeded = isNeeded && !hasTenantGuard(route, settings)
    const header =
      isNamed && facts.header !== null
        ? { ...headerParameter(facts, isHeaderNeeded), schema }
        : null
    const refusals = isVerified(route, settings) ? [403] : []
    return {
      parameters: header === null ? [] : [header],
      errors: [400, ...refusals, ...facts.errors],
    }
  }
}

function schemaOfId({ pattern }: TenantFacts): JsonSchema {
  return { type: 'string', ...(pattern !== null && { pattern }) }
}

function headerParameter(
  { header, isOnlySource }: TenantFacts,
  isNeeded: boolean,
): Omit<ContractParameter, 'schema'> {
  return {
    name: header as string,
    in: 'header',
    description: 'The tenant of the request.',
    ...(isNeeded && isOnlySource && { required: true }),
  }
}

/** Anchors the pattern. JSON Schema searches for a pattern anywhere in a string, but the whole ID must match. */
function anchored(source: string): string {
  return /^\^(?:[^|\\]|\\.)*\$$/.test(source) ? source : `^(?:${source})$`
}
