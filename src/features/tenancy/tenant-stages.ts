import type { Request } from '../../contracts/handler.js'
import type { Step, StepFactory } from '../../contracts/steps.js'
import { noteOf } from '../../http/observed-request.js'
import type { Refusal } from '../../step/refusal.js'
import { isThenable } from '../../step/step.js'
import { scopeOn, setScope, TenantContext, tenantScope } from './tenant-context.js'
import { type AuthorizeTenant, tenantRefusal } from './tenant-rules.js'

/** Creates the stage that refuses requests that specify no tenant. */
export function requireTenantStage(message: string): StepFactory {
  return (next) =>
    function requireTenant(req, res) {
      if (namedTenant(req) !== undefined) return next(req, res)
      noteRefused(req, 'the request specifies no tenant')
      return tenantRefusal('TENANT_REQUIRED', message)
    }
}

/**
 * Runs the guard and `authorize` in a scope in which `getTenantId()` returns the claimed tenant, but no code is allowed
 * to act for the tenant. The scope has a new origin, so that the request does not continue in this scope after a
 * failure or a late callback.
 */
export const claimStage: StepFactory = (next) =>
  function showClaim(req, res) {
    const scope = scopeOn(req)
    if (scope?.claim === undefined) return next(req, res)
    const deciding = Object.freeze({ ...scope, origin: {}, isDeciding: true as const })
    return TenantContext.run(deciding, next, req, res)
  }

/** Returns the tenant that a request acts for or only claims. */
export function namedTenant(req: Request): string | undefined {
  const scope = scopeOn(req)
  return scope?.id ?? scope?.claim
}

/**
 * Creates the stage that calls `authorize` for a request with a tenant. Only the result `true` allows the request to
 * act for the tenant. A request without a tenant continues without a tenant.
 */
export function membershipStage(authorize: AuthorizeTenant): StepFactory {
  return (next) =>
    function checkMembership(req, res) {
      const id = namedTenant(req)
      if (id === undefined) return next(req, res)
      const decide = (verdict: unknown) => {
        if (verdict !== true) return forbid(req, '`authorize` has not allowed it')
        noteConfirmed(req, id, 'authorize')
        return actFor(id, next)(req, res)
      }
      const verdict: unknown = authorize(req, id, req.user)
      return isThenable(verdict) ? settle(verdict, decide) : decide(verdict)
    }
}

/** Records that a request is allowed to act for a tenant, and the source of this permission. */
export function noteConfirmed(req: Request, tenant: string, source: string): void {
  noteOf(req)?.({ by: 'tenant', verdict: 'confirmed', facts: { tenant, source } })
}

/** Records why a request is not allowed to act for a tenant. */
export function noteRefused(req: Request, reason: string): void {
  noteOf(req)?.({ by: 'tenant', verdict: 'refused', reason })
}

/** Uses `await`, which continues exactly once, even for a promise with a custom `then`. */
async function settle(verdict: PromiseLike<unknown>, decide: (verdict: unknown) => unknown) {
  return decide(await verdict)
}

/**
 * Continues in a scope with a new origin, so that code that was started before `authorize` allowed the tenant
 * can never act for it.
 */
export function actFor(id: string, next: Step): Step {
  return (req, res) => {
    const claimed = scopeOn(req)
    if (claimed?.claim === undefined) return next(req, res)
    const scope = tenantScope(id, { origin: {}, host: claimed.host })
    setScope(req, scope)
    return TenantContext.run(scope, next, req, res)
  }
}

/** @param reason The reason for developers. The client does not receive it. */
export function forbid(req: Request, reason: string): Refusal {
  noteRefused(req, reason)
  return tenantRefusal('TENANT_FORBIDDEN', 'You are not allowed to act for this tenant')
}
