import { codedError } from '../../errors/http-error.js'
import { isThenable, type Stage } from '../../http/step.js'
import type { TenantOptions } from './tenant-options.js'

/** Refuses requests that name no tenant. */
export function requireTenantStage(message: string): Stage {
  return (next) =>
    function requireTenant(req, res) {
      if (req.tenantScope?.id === undefined) throw codedError('TENANT_REQUIRED', message)
      return next(req, res)
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
      if (!isThenable(verdict)) {
        permit(verdict)
        return next(req, res)
      }
      return Promise.resolve(verdict).then((settled) => {
        permit(settled)
        return next(req, res)
      })
    }
}

function permit(verdict: unknown): void {
  if (verdict !== true) throw codedError('TENANT_FORBIDDEN', 'You may not act for this tenant')
}
