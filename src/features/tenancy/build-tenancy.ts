import type { Request, Response } from '../../contracts/handler.js'
import type { Logger } from '../../contracts/logger.js'
import type { AppModel, RouteModel } from '../../contracts/route-model.js'
import type { StepFactory } from '../../contracts/steps.js'
import type { Clock } from '../../di/clock.js'
import { type ConfirmConfig, confirmStage, type TenantsOf } from './confirm-stage.js'
import {
  compileConfirm,
  compileResolve,
  enterScope,
  requiredMessage,
  type ScopeEnds,
} from './enter-scope.js'
import {
  scopeStage,
  type TenantScopes,
  tenantScopes,
  withoutTenantStage,
} from './request-tenant.js'
import { noteHost } from './tenant-hosts.js'
import { compileIdTest } from './tenant-id.js'
import type { TenantGuard, TenantSettings } from './tenant-settings.js'
import { claimStage, membershipStage, requireTenantStage } from './tenant-stages.js'

/**
 * The functions by which an application keeps tenants apart. Only an application that uses tenants has them.
 */
export interface Tenancy {
  /**
   * Creates the function that enters the scope of a request. It runs before all middlewares of the application.
   */
  readonly enter: <TRequest extends Request>(
    ends: ScopeEnds<TRequest>,
  ) => (req: TRequest, res: Response) => void
  readonly scopes: TenantScopes
  /** The steps that a route needs, as a plugin returns them. */
  readonly steps: (route: RouteModel) => TenancyStages
  /** The stages in front of a router in `tenantRouter`. */
  readonly stagesOfRouters: Omit<TenancyStages, 'scope'>
}

/** The tenant stages of one route; `null` for a stage that the route does not need. */
export interface TenancyStages {
  readonly scope: StepFactory
  readonly unverifiedTenant: StepFactory | null
  readonly tenant: StepFactory | null
  readonly authorizeTenant: StepFactory | null
}

const NOT_ASKED = { unverifiedTenant: null, authorizeTenant: null } as const

/** The parts that tenancy is built from. */
export interface TenancyConfig {
  /** `null` without the `tenant` option: then only the application's own middlewares set tenants. */
  readonly settings: TenantSettings | null
  readonly model: AppModel
  readonly clock: Clock
  readonly logger: Logger
  /** The object that identifies the application in its scopes. */
  readonly host: object
  /** Returns the tenants that the credentials of an admitted request belong to. */
  readonly tenantsOf: TenantsOf
}

/** Builds tenancy. Returns `null` for an application that does not use tenants. */
export function buildTenancy(config: TenancyConfig): Tenancy | null {
  const { settings, model, clock, logger, host, tenantsOf } = config
  if (!usesTenants(settings, model)) return null
  const authorize = settings?.authorize ?? null
  const authorizes = verifiesTenants(settings)
  noteHost(host, { logger, authorizes })
  const message = requiredMessage(settings)
  const required = requireTenantStage(message)
  const authorizeTenant = authorize === null ? null : membershipStage(authorize)
  const confirm = settings === null ? null : compileConfirm(settings, clock)
  const resolve = settings === null ? null : compileResolve(settings, confirm)
  const confirmed = (facts: Pick<ConfirmConfig, 'required' | 'trustsAnonymous'>) => {
    const isId = compileIdTest((settings as TenantSettings).pattern)
    return confirmStage({ ...facts, hasAuthorize: authorize !== null, isId, confirm, tenantsOf })
  }
  const tenantStage = (route: RouteModel) => {
    const isNeeded = needsTenant(route, settings)
    if (!isConfirmed(route, settings)) return isNeeded ? required : null
    const trustsAnonymous = route.tenant !== null || settings?.isRequired === true
    return confirmed({ required: isNeeded ? message : null, trustsAnonymous })
  }
  return {
    enter: (ends) => enterScope(resolve, { host, authorizes }, ends),
    scopes: tenantScopes,
    steps: (route) => ({
      scope: runsWithoutTenant(route, settings) ? withoutTenantStage : scopeStage,
      ...(isVerified(route, settings)
        ? { unverifiedTenant: claimStage, authorizeTenant }
        : NOT_ASKED),
      tenant: tenantStage(route),
    }),
    stagesOfRouters: {
      ...(authorizes ? { unverifiedTenant: claimStage, authorizeTenant } : NOT_ASKED),
      tenant: confirmsTenants(settings)
        ? confirmed({ required: message, trustsAnonymous: false })
        : required,
    },
  }
}

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
function verifiesTenants(settings: TenantSettings | null): boolean {
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
