import { refused } from '../../errors/http-error.js'
import { follow, isThenable, Refusal, type Stage } from '../../http/step.js'
import type { TenantOptions } from './tenant-options.js'

/** Refuses requests that name no tenant. */
export function requireTenantStage(message: string): Stage {
  return (next) =>
    function requireTenant(req, res) {
      if (req.tenantScope?.id !== undefined) return next(req, res)
      return new Refusal(refused('TENANT_REQUIRED', message))
    }
}

type Authorize = NonNullable<TenantOptions['authorize']>

/** Lets a request act for its tenant on exactly `true`; one that has none acts for nobody. */
export function membershipStage(authorize: Authorize): Stage {
  return (next) =>
    function checkMembership(req, res) {
      const id = req.tenantScope?.id
      if (id === undefined) return next(req, res)
      const verdict: unknown = authorize(req, id, req.user)
      if (!isThenable(verdict)) return verdict === true ? next(req, res) : forbid()
      return follow(verdict, (settled) => (settled === true ? next(req, res) : forbid()))
    }
}

function forbid(): Refusal {
  return new Refusal(refused('TENANT_FORBIDDEN', 'You may not act for this tenant'))
}
