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
      remedy: 'Configure `tenant.authorize`, or `auth.guard` with a guard that has `tenantOf`.',
    },
  ]
}

/** A guard that only finds its user lets the user of one tenant in with the name of another. */
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
        'It does not confirm the tenant of a request: a user of one tenant whom it lets in may name any other tenant.',
      remedy:
        'Configure `tenant.authorize`, or give the guard `tenantOf`. If `canActivate` checks the tenant itself, give the guard `checksTenant: true`.',
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
