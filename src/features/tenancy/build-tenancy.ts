import type { Request, Response } from '../../contracts/handler.js'
import type { Logger } from '../../contracts/logger.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { StepFactory } from '../../contracts/steps.js'
import type { Clock } from '../../di/token.js'
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
import { tenancyOf } from './tenant.js'
import { compileIdTest, noteHost } from './tenant-context.js'
import {
  confirmsTenants,
  isConfirmed,
  isVerified,
  needsTenant,
  runsWithoutTenant,
  type TenantSettings,
  verifiesTenants,
} from './tenant-rules.js'
import {
  type ConfirmConfig,
  claimStage,
  confirmStage,
  membershipStage,
  requireTenantStage,
  type TenantsOf,
} from './tenant-stages.js'

/** The functions that separate an application's tenants. Only an application that uses tenants has these functions. */
export interface Tenancy {
  /**
   * Creates the function that enters the scope of a request. The created function runs before all of the application's
   * middlewares.
   */
  readonly enter: <TRequest extends Request>(
    ends: ScopeEnds<TRequest>,
  ) => (req: TRequest, res: Response) => void
  readonly scopes: TenantScopes
  /** Returns the tenant stages of a route. */
  readonly steps: (route: RouteModel) => TenancyStages
  /** The stages that run before a router in `tenantRouter`. */
  readonly stagesOfRouters: Omit<TenancyStages, 'scope'>
}

/** The tenant stages of one route; `null` for stages that the route does not need. */
export interface TenancyStages {
  readonly scope: StepFactory
  readonly unverifiedTenant: StepFactory | null
  readonly tenant: StepFactory | null
  readonly authorizeTenant: StepFactory | null
}

const NOT_ASKED = { unverifiedTenant: null, authorizeTenant: null } as const

/** The configuration of {@link buildTenancy}. */
export interface TenancyConfig {
  /** `null` without the `tenant` option. In that case, only the application's middlewares set tenants. */
  readonly settings: TenantSettings | null
  readonly clock: Clock
  readonly logger: Logger
  /** The object that identifies the application in its scopes. */
  readonly host: object
  /** Returns the tenants that the credentials of an admitted request belong to. */
  readonly tenantsOf: TenantsOf
}

/** Builds the tenancy of an application that uses tenants. */
export function buildTenancy(config: TenancyConfig): Tenancy {
  const { settings, clock, logger, host, tenantsOf } = config
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
    const trustsAnonymous = tenancyOf(route) !== undefined || settings?.isRequired === true
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
