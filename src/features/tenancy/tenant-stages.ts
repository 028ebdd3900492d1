import type { Response } from '../../contracts/handler.js'
import { refuse } from '../../errors/refuse.js'
import { kTenantScope } from '../../http/own-fields.js'
import type { BlazonRequest } from '../../http/request.js'
import { Refusal } from '../../step/refusal.js'
import type { Stage, Step } from '../../step/step.js'
import { isThenable, whenSettled } from '../../step/thenable.js'
import { TenantContext, tenantScope } from './tenant-context.js'
import type { TenantSettings } from './tenant-options.js'

/** Refuses requests that name no tenant. */
export function requireTenantStage(message: string): Stage {
  return (next) =>
    function requireTenant(req, res) {
      if (tenantOf(req) !== undefined) return next(req, res)
      return new Refusal(refuse('TENANT_REQUIRED', message))
    }
}

type Authorize = NonNullable<TenantSettings['authorize']>

/**
 * Runs the guard and `authorize` in a scope in which `getTenantId()` returns the claimed tenant, but no code
 * may act for it. The scope has a new origin, so that a late callback or a failure in it does not continue the
 * request in this scope.
 */
export const claimStage: Stage = (next) =>
  function showClaim(req, res) {
    const scope = req[kTenantScope]
    if (scope?.claim === undefined) return next(req, res)
    const deciding = Object.freeze({ ...scope, origin: {}, isDeciding: true as const })
    return TenantContext.run(deciding, next, req, res)
  }

/** Returns the tenant that a request acts for or claims. */
function tenantOf({ [kTenantScope]: scope }: BlazonRequest): string | undefined {
  return scope?.id ?? scope?.claim
}

/**
 * Creates the stage that calls `authorize` for a request with a tenant. Only the result `true` lets the request
 * act for it. A request without a tenant continues without one.
 */
export function membershipStage(authorize: Authorize): Stage {
  return (next) =>
    function checkMembership(req, res) {
      const id = tenantOf(req)
      if (id === undefined) return next(req, res)
      const allow = () => actFor(id, req, res, next)
      const verdict: unknown = authorize(req, id, req.user)
      if (!isThenable(verdict)) return verdict === true ? allow() : forbid()
      return whenSettled(verdict, (settled) => (settled === true ? allow() : forbid()))
    }
}

/**
 * Continues in a scope with a new origin, so that code that was started before `authorize` allowed the tenant
 * can never act for it.
 */
function actFor(id: string, req: BlazonRequest, res: Response, next: Step): unknown {
  const scope = req[kTenantScope]
  if (scope?.claim === undefined) return next(req, res)
  req[kTenantScope] = tenantScope(id, { origin: {}, host: scope.host })
  return TenantContext.run(req[kTenantScope], next, req, res)
}

function forbid(): Refusal {
  return new Refusal(refuse('TENANT_FORBIDDEN', 'You may not act for this tenant'))
}
