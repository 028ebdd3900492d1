import type { Request, Response } from '../../contracts/handler.js'
import type { Logger } from '../../contracts/logger.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { Step, StepFactory } from '../../contracts/steps.js'
import type { Clock } from '../../di/token.js'
import { isThenable } from '../../step/step.js'
import {
  type ConfirmTenant,
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
import {
  claimScope,
  noteHost,
  scopeOn,
  setScope,
  TenantContext,
  tenantScope,
} from './tenant-context.js'
import {
  compileIdTest,
  confirmsTenants,
  type IsTenantId,
  isConfirmed,
  isVerified,
  needsTenant,
  runsWithoutTenant,
  type TenantSettings,
  tenantRefusal,
  verifiesTenants,
} from './tenant-rules.js'
import {
  actFor,
  claimStage,
  forbid,
  membershipStage,
  namedTenant,
  noteConfirmed,
  noteRefused,
  requireTenantStage,
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

/**
 * Returns the tenants that the credentials of a request belong to, one for each guard with `tenantOf`; `undefined` if
 * no guard has admitted the request.
 */
type TenantsOf = (req: Request) => readonly (string | undefined)[] | undefined

/** The input of {@link confirmStage}. */
interface ConfirmConfig {
  /** The error message for a request without a tenant; `null` if the route requires no tenant. */
  readonly required: string | null
  /** Whether a request is allowed to act for the tenant that it specifies even if no credential confirms the tenant. */
  readonly trustsAnonymous: boolean
  /** Whether `authorize` decides after this stage. */
  readonly hasAuthorize: boolean
  /** Whether a value is a valid tenant ID. */
  readonly isId: IsTenantId
  /** Looks up a tenant in the store if only the credential specifies the tenant; `null` without a store. */
  readonly confirm: ConfirmTenant | null
  readonly tenantsOf: TenantsOf
}

/**
 * Creates the stage after the guards that compares the tenant of a request with the tenants of its credentials. All
 * credentials must belong to the tenant that the request specifies. If the request specifies no tenant, the request
 * acts for the tenant of its credentials.
 */
function confirmStage(config: ConfirmConfig): StepFactory {
  const { required, trustsAnonymous, hasAuthorize, isId, confirm, tenantsOf } = config
  return (next) => {
    const decided: (id: string) => Step = hasAuthorize ? () => next : (id) => actFor(id, next)
    const adopt = hasAuthorize ? claimFor : actAs
    return function confirmTenant(req, res) {
      const named = namedTenant(req)
      const found = tenantsOf(req)
      const tenants = found ?? NOBODY
      const [own] = tenants
      if (tenants.some((each) => each !== own)) return forbid(req, SEVERAL)
      if (named !== undefined) {
        // If there are no tenants, the request is not authenticated, or the guard checks the tenant itself.
        if (tenants.length > 0) {
          if (own !== named) return forbid(req, FOREIGN)
          noteConfirmed(req, named, 'credential')
          return decided(named)(req, res)
        }
        const isTrusted = hasAuthorize || trustsAnonymous || found !== undefined
        if (isTrusted) return decided(named)(req, res)
        return required === null ? leaveClaim(next)(req, res) : forbid(req, UNCONFIRMED)
      }
      if (own === undefined) {
        if (required === null) return next(req, res)
        noteRefused(req, 'neither the request nor its credential specifies a tenant')
        return tenantRefusal('TENANT_REQUIRED', required)
      }
      if (!isId(own)) return forbid(req, 'the tenant of the credential is malformed')
      noteConfirmed(req, own, 'credential')
      const known = confirm === null ? own : confirm(own)
      return isThenable(known)
        ? known.then((id) => adopt(id, next)(req, res))
        : adopt(known, next)(req, res)
    }
  }
}

const SEVERAL = 'the credentials belong to different tenants'
const FOREIGN = 'the credential belongs to another tenant'
const UNCONFIRMED = 'no credential confirms the tenant of the request'

const NOBODY: readonly (string | undefined)[] = Object.freeze([])

/**
 * Continues for a tenant. The scope has a new origin, so that code that was started before the decision can never act
 * for the tenant.
 */
function actAs(id: string, next: Step): Step {
  return (req, res) => {
    const scope = tenantScope(id, { origin: {}, host: hostOn(req) })
    setScope(req, scope)
    return TenantContext.run(scope, next, req, res)
  }
}

/**
 * Continues with a tenant that `authorize` has not allowed yet, like `claimStage` for a tenant that the request
 * specifies.
 */
function claimFor(id: string, next: Step): Step {
  return (req, res) => {
    const scope = claimScope(id, { origin: {}, host: hostOn(req) })
    setScope(req, scope)
    const deciding = Object.freeze({ ...scope, origin: {}, isDeciding: true as const })
    return TenantContext.run(deciding, next, req, res)
  }
}

/** Continues without a tenant, because the tenant that the request specifies is not confirmed. */
function leaveClaim(next: Step): Step {
  return (req, res) => {
    const scope = tenantScope(undefined, { origin: {}, host: hostOn(req) })
    setScope(req, scope)
    return TenantContext.run(scope, next, req, res)
  }
}

function hostOn(req: Request): object | undefined {
  return scopeOn(req)?.host
}
