import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import type { TenantGuard, TenantSettings } from './tenant-settings.js'

/** Whether requests of an application have tenants. */
export function usesTenants(settings: TenantSettings | null, { routes }: AppModel): boolean {
  return settings !== null || routes.some(usesTenant)
}

/** Whether a route requires a tenant. `@Tenant` on the route overrides the application's `tenant.required`. */
export function needsTenant(
  { tenant }: Pick<RouteModel, 'tenant'>,
  settings: TenantSettings | null,
): boolean {
  return tenant === null ? settings?.isRequired === true : !tenant.isOptional
}

/** Whether a guard of the application confirms tenants. */
export function confirmsTenants(settings: TenantSettings | null): boolean {
  return settings?.guards.some(({ confirmsTenant }) => confirmsTenant) === true
}

/** Whether the tenant that a request names is only a claim at first. */
export function verifiesTenants(settings: TenantSettings | null): boolean {
  return settings !== null && (settings.authorize !== null || confirmsTenants(settings))
}

/** Whether the tenant of a request is compared with the tenant of its credential. */
export function isConfirmed(route: RouteModel, settings: TenantSettings | null): boolean {
  return confirmsTenants(settings) && isVerified(route, settings)
}

/** Whether the credential of a request may name its tenant. */
export function hasTenantGuard(route: RouteModel, settings: TenantSettings | null): boolean {
  if (!route.isProtected && !route.isAuthOptional) return false
  const guards = settings?.guards ?? []
  const isAccepted = ({ name }: TenantGuard) => name === null || route.guards.includes(name)
  return guards.some((guard) => guard.confirmsTenant && isAccepted(guard))
}

/**
 * Whether `authorize` runs for a route. It does not for a route that is public and has no `@Tenant`, such as a login.
 * With optional auth, it also runs for requests without a user.
 */
export function isAuthorized(
  route: Pick<RouteModel, 'tenant' | 'isProtected' | 'isAuthOptional'>,
  settings: TenantSettings | null,
): boolean {
  return settings?.authorize != null && isVerified(route, settings)
}

/** Whether `authorize` or a guard decides about the tenant of a request. */
export function isVerified(
  route: Pick<RouteModel, 'tenant' | 'isProtected' | 'isAuthOptional'>,
  settings: TenantSettings | null,
): boolean {
  return settings !== null && verifiesTenants(settings) && needsDecision(route, settings)
}

/** Whether a route has a guard, or acts for tenants. A route without both, such as a login, does not. */
function needsDecision(
  {
    isProtected,
    isAuthOptional,
    tenant,
  }: Pick<RouteModel, 'tenant' | 'isProtected' | 'isAuthOptional'>,
  { isRequired }: TenantSettings,
): boolean {
  return isProtected || isAuthOptional || tenant !== null || isRequired
}

/**
 * Whether a route runs without a tenant: when `authorize` or guards decide about tenants, and no one does for this
 * route, the tenant that the request names is not trusted. A guard that checks the tenant itself decides, too: else a
 * client that names any tenant would put a login into the transaction of this tenant, and a 401 would undo its count.
 */
export function runsWithoutTenant(route: RouteModel, settings: TenantSettings | null): boolean {
  if (settings === null || needsDecision(route, settings)) return false
  return verifiesTenants(settings) || settings.guards.some(({ checksTenant }) => checksTenant)
}

function usesTenant({ tenant, parameters }: RouteModel): boolean {
  return tenant !== null || parameters?.some(({ source }) => source === 'tenant') === true
}
