import type { RouteModel } from '../../contracts/route-model.js'
import type { Problem } from '../../errors/config-error.js'
import type { TenantSettings } from './tenant-settings.js'

/**
 * The facts of an application that decide whether its tenants are verified, and whether requests can name them.
 */
export interface TenancySetting {
  readonly tenant: TenantSettings | null
  readonly routes: readonly RouteModel[]
  readonly hasGuard: boolean
  readonly hasMiddlewares: boolean
  readonly isProduction: boolean
}

/** Returns the warnings about the tenancy of an application. */
export function warnOfTenancy(setting: TenancySetting): Problem[] {
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
        'The request alone names its tenant, and nothing checks whether the client may act for that tenant: any client can name any tenant.',
      remedy: 'Configure `tenant.authorize`, or `auth.guard` and check the tenant there.',
    },
  ]
}

/** If some guards confirm tenants, the others have probably been forgotten. One that does so by itself is not known. */
function warnOfGuards({ guards }: TenantSettings): Problem[] {
  const silent = guards.filter(({ confirmsTenant }) => !confirmsTenant)
  if (silent.length === 0 || silent.length === guards.length) return []
  return [
    {
      code: 'W_TENANT_UNVERIFIED',
      subject: silent.map(({ name }) => `auth.guards.${name}`).join(', '),
      cause:
        'Other guards confirm the tenant of a request by `tenantOf`, and this one does not: a request that it lets in may name any tenant.',
      remedy: 'Add `tenantOf` to the guard, or configure `tenant.authorize`.',
    },
  ]
}

function warnOfSources({ tenant: settings, routes, hasMiddlewares }: TenancySetting): Problem[] {
  if (hasMiddlewares || hasSource(settings)) return []
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

function hasSource(tenant: TenantSettings | null): boolean {
  if (tenant === null) return false
  const { header, jwtClaim, strategies, guards } = tenant
  if (guards.some(({ confirmsTenant }) => confirmsTenant)) return true
  return header !== null || jwtClaim !== null || strategies.length > 0
}
