import type { Request, User } from '../../contracts/handler.js'
import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import type { TenantStore, TenantStrategy } from '../../contracts/tenant.js'
import type { ErrorCode } from '../../errors/codes.js'
import { Refusal } from '../../step/refusal.js'
import { tenancyOf } from './tenant.js'

/**
 * Decides whether a request is allowed to act for the tenant that it specifies. Only the result `true` allows the
 * request.
 */
export type AuthorizeTenant = (
  req: Request,
  tenantId: string,
  user: User | undefined,
) => boolean | Promise<boolean>

/** The options of `createTenantMiddleware`, resolved. */
export interface TenantSourceSettings {
  /** The header name in lower case; `null` if no header specifies the tenant. */
  readonly header: string | null
  readonly jwtClaim: string | null
  readonly strategies: readonly TenantStrategy[]
  readonly pattern: RegExp
  readonly onMismatch: 'header' | 'reject'
  /** `null` if every ID counts as a tenant. */
  readonly store: TenantStore | null
  readonly positiveMs: number
  readonly negativeMs: number
  readonly isRequired: boolean
}

/** The `tenant` option, resolved. */
export interface TenantSettings extends TenantSourceSettings {
  /** `null` without the `authorize` option. */
  readonly authorize: AuthorizeTenant | null
  /** The application's guards, the default guard first. */
  readonly guards: readonly TenantGuard[]
}

/** The facts about a guard that decide whether it confirms tenants. */
interface TenantGuard {
  /** The guard's name in `auth.guards`; `null` for `auth.guard`. */
  readonly name: string | null
  /** Whether the guard has `tenantOf`. */
  readonly confirmsTenant: boolean
  /** Whether the guard declares that `canActivate` checks the tenant itself. */
  readonly checksTenant: boolean
}

/** Whether an application uses tenants. */
export function usesTenants(settings: TenantSettings | null, { routes }: AppModel): boolean {
  return settings !== null || routes.some(usesTenant)
}

/** Whether a route requires a tenant. `@Tenant` on the route overrides the application's `tenant.required`. */
export function needsTenant(route: RouteModel, settings: TenantSettings | null): boolean {
  const stated = tenancyOf(route)
  return stated === undefined ? settings?.isRequired === true : stated.optional !== true
}

/** Whether any of the application's guards confirms tenants. */
export function confirmsTenants(settings: TenantSettings | null): boolean {
  return settings?.guards.some(({ confirmsTenant }) => confirmsTenant) === true
}

/** Whether the tenant that a request specifies is only a claim at first. */
export function verifiesTenants(settings: TenantSettings | null): boolean {
  return settings !== null && (settings.authorize !== null || confirmsTenants(settings))
}

/** Whether a request's tenant is compared with the tenant of its credential. */
export function isConfirmed(route: RouteModel, settings: TenantSettings | null): boolean {
  return confirmsTenants(settings) && isVerified(route, settings)
}

/** Whether a request's credential can specify the tenant. */
export function hasTenantGuard(route: RouteModel, settings: TenantSettings | null): boolean {
  if (!route.isProtected && !route.isAuthOptional) return false
  const guards = settings?.guards ?? []
  const isAccepted = ({ name }: TenantGuard) => name === null || route.guards.includes(name)
  return guards.some((guard) => guard.confirmsTenant && isAccepted(guard))
}

/**
 * Whether `authorize` runs for a route. It does not run for a public route without `@Tenant`, such as a login, unless
 * every route requires a tenant. On routes with optional authentication, it also runs for requests without a user.
 */
export function isAuthorized(route: RouteModel, settings: TenantSettings | null): boolean {
  return settings?.authorize != null && isVerified(route, settings)
}

/** Whether `authorize` or a guard decides about a request's tenant. */
export function isVerified(route: RouteModel, settings: TenantSettings | null): boolean {
  return settings !== null && verifiesTenants(settings) && needsDecision(route, settings)
}

/** Whether a route has a guard or acts for tenants. A login, for example, does neither. */
function needsDecision(route: RouteModel, { isRequired }: TenantSettings): boolean {
  const { isProtected, isAuthOptional } = route
  return isProtected || isAuthOptional || tenancyOf(route) !== undefined || isRequired
}

/**
 * Whether a route runs without a tenant. If `authorize` or guards decide about tenants, but not for this route, the
 * tenant that the request specifies is not trusted. A guard that checks the tenant itself also decides. If the tenant
 * were trusted, a client could specify any tenant and make a login run in a transaction for this tenant. A 401 response
 * would then roll back what the login has written, such as a count of failed attempts.
 */
export function runsWithoutTenant(route: RouteModel, settings: TenantSettings | null): boolean {
  if (settings === null || needsDecision(route, settings)) return false
  return verifiesTenants(settings) || settings.guards.some(({ checksTenant }) => checksTenant)
}

function usesTenant(route: RouteModel): boolean {
  const isPassed = route.parameters?.some(({ source }) => source === 'tenant') === true
  return tenancyOf(route) !== undefined || isPassed
}

type TenantCode = Extract<
  ErrorCode,
  | 'TENANT_REQUIRED'
  | 'TENANT_INVALID'
  | 'TENANT_MISMATCH'
  | 'TENANT_FORBIDDEN'
  | 'TENANT_SUSPENDED'
  | 'TENANT_UNKNOWN'
>

const STATUS: Readonly<Record<TenantCode, number>> = {
  TENANT_REQUIRED: 400,
  TENANT_INVALID: 400,
  TENANT_MISMATCH: 403,
  TENANT_FORBIDDEN: 403,
  TENANT_SUSPENDED: 403,
  TENANT_UNKNOWN: 404,
}

/**
 * Creates the refusal of a request because of its tenant. Its `error` has no stack, so throwing it is also inexpensive.
 */
export function tenantRefusal(code: TenantCode, message: string): Refusal {
  return Refusal.of(STATUS[code], message, { code })
}
