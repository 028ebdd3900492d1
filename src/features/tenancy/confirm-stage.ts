import type { Request } from '../../contracts/handler.js'
import type { Step, StepFactory } from '../../contracts/steps.js'
import { isThenable } from '../../step/thenable.js'
import type { ConfirmTenant } from './enter-scope.js'
import { scopeOn, setScope } from './request-scope.js'
import { claimScope, TenantContext, tenantScope } from './tenant-context.js'
import type { IsTenantId } from './tenant-id.js'
import { tenantRefusal } from './tenant-refusal.js'
import { actFor, forbid, namedTenant, noteConfirmed, noteRefused } from './tenant-stages.js'

/**
 * Returns the tenants that the credentials of a request belong to, of each guard with `tenantOf`; `undefined` if no guard
 * has let the request in.
 */
export type TenantsOf = (req: Request) => readonly (string | undefined)[] | undefined

/** The input of {@link confirmStage}. */
export interface ConfirmConfig {
  /** The message of the refusal if a route requires a tenant; `null` if it does not. */
  readonly required: string | null
  /** Whether a request without a confirming credential may act for the tenant that it names. */
  readonly trustsAnonymous: boolean
  /** Whether `authorize` decides after this stage. */
  readonly hasAuthorize: boolean
  /** Whether a text may be the id of a tenant. */
  readonly isId: IsTenantId
  /** Looks up a tenant that only the credential names in the store; `null` without a store. */
  readonly confirm: ConfirmTenant | null
  readonly tenantsOf: TenantsOf
}

/**
 * Creates the stage that compares the tenant of a request with the tenants of its credentials, after the guards. All
 * credentials must belong to the tenant that the request names. If it names none, it acts for the tenant of its
 * credentials.
 */
export function confirmStage(config: ConfirmConfig): StepFactory {
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
        // No credential has a tenant: there is no login, or the guard checks the tenant itself.
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
        noteRefused(req, 'neither the request nor its credential names a tenant')
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
const UNCONFIRMED = 'no credential confirms the tenant that the request names'

const NOBODY: readonly (string | undefined)[] = Object.freeze([])

/** Continues for a tenant. The origin is new, so that code from before the decision can never act for the tenant. */
function actAs(id: string, next: Step): Step {
  return (req, res) => {
    const scope = tenantScope(id, { origin: {}, host: hostOn(req) })
    setScope(req, scope)
    return TenantContext.run(scope, next, req, res)
  }
}

/**
 * Continues with a tenant that `authorize` has not allowed yet, as `claimStage` does for a tenant that the request
 * names.
 */
function claimFor(id: string, next: Step): Step {
  return (req, res) => {
    const scope = claimScope(id, { origin: {}, host: hostOn(req) })
    setScope(req, scope)
    const deciding = Object.freeze({ ...scope, origin: {}, isDeciding: true as const })
    return TenantContext.run(deciding, next, req, res)
  }
}

/** Continues without a tenant: the tenant that the request names is not confirmed. */
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
