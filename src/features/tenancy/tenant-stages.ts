import type { Response } from '../../contracts/handler.js'
import { refuse } from '../../errors/refuse.js'
import { kTenantScope } from '../../http/own-fields.js'
import type { BlazonRequest } from '../../http/request.js'
import { Refusal } from '../../step/refusal.js'
import type { Stage, Step } from '../../step/step.js'
import { follow, isThenable } from '../../step/thenable.js'
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
 * Shows the guard and `authorize` which tenant a request names, in a scope that acts for nobody. It has an origin of its
 * own, so that whatever fails there, or comes back late, is not taken for the request itself.
 */
export const claimStage: Stage = (next) =>
  function showClaim(req, res) {
    const scope = req[kTenantScope]
    if (scope?.claim === undefined) return next(req, res)
    const asked = Object.freeze({ ...scope, origin: {}, isAsked: true as const })
    return TenantContext.run(asked, next, req, res)
  }

/** The tenant that a request acts for, or would like to. */
function tenantOf({ [kTenantScope]: scope }: BlazonRequest): string | undefined {
  return scope?.id ?? scope?.claim
}

/** Lets a request act for its tenant on exactly `true`; one that has none acts for nobody. */
export function membershipStage(authorize: Authorize): Stage {
  return (next) =>
    function checkMembership(req, res) {
      const id = tenantOf(req)
      if (id === undefined) return next(req, res)
      const allow = () => actFor(id, req, res, next)
      const verdict: unknown = authorize(req, id, req.user)
      if (!isThenable(verdict)) return verdict === true ? allow() : forbid()
      return follow(verdict, (settled) => (settled === true ? allow() : forbid()))
    }
}

/** In a scope of another origin: what was begun before the request might act for the tenant never does. */
function actFor(id: string, req: BlazonRequest, res: Response, next: Step): unknown {
  const scope = req[kTenantScope]
  if (scope?.claim === undefined) return next(req, res)
  req[kTenantScope] = tenantScope(id, { origin: {}, host: scope.host })
  return TenantContext.run(req[kTenantScope], next, req, res)
}

function forbid(): Refusal {
  return new Refusal(refuse('TENANT_FORBIDDEN', 'You may not act for this tenant'))
}
