import type { Request } from '../../contracts/handler.js'
import type { Step, StepFactory } from '../../contracts/steps.js'
import { noteOf } from '../../http/observed-request.js'
import type { Refusal } from '../../step/refusal.js'
import { isThenable } from '../../step/step.js'
import type { ConfirmTenant } from './enter-scope.js'
import {
  claimScope,
  type IsTenantId,
  scopeOn,
  setScope,
  TenantContext,
  tenantScope,
} from './tenant-context.js'
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
function namedTenant(req: Request): string | undefined {
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
function noteConfirmed(req: Request, tenant: string, source: string): void {
  noteOf(req)?.({ by: 'tenant', verdict: 'confirmed', facts: { tenant, source } })
}

function noteRefused(req: Request, reason: string): void {
  noteOf(req)?.({ by: 'tenant', verdict: 'refused', reason })
}

/** Uses `await`, which continues exactly once, even for a promise with a custom `then`. */
async function settle(verdict: PromiseLike<unknown>, decide: (verdict: unknown) => unknown) {
  return decide(await verdict)
}

/**
 * Continues in a scope with a new origin. Code that started before `authorize` gave its permission keeps the old scope,
 * so it can never act for the tenant.
 */
function actFor(id: string, next: Step): Step {
  return (req, res) => {
    const claimed = scopeOn(req)
    if (claimed?.claim === undefined) return next(req, res)
    const scope = tenantScope(id, { origin: {}, host: claimed.host })
    setScope(req, scope)
    return TenantContext.run(scope, next, req, res)
  }
}

/** @param reason The reason for developers. The client does not receive it. */
function forbid(req: Request, reason: string): Refusal {
  noteRefused(req, reason)
  return tenantRefusal('TENANT_FORBIDDEN', 'You are not allowed to act for this tenant')
}

/**
 * Returns the tenants that the credentials of a request belong to, one for each guard with `tenantOf`; `undefined` if
 * no guard has admitted the request.
 */
export type TenantsOf = (req: Request) => readonly (string | undefined)[] | undefined

/** The input of {@link confirmStage}. */
export interface ConfirmConfig {
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
 * Creates the stage that runs after the guards and compares the tenant of a request with the tenants of its
 * credentials. All credentials must belong to the tenant that the request specifies. If the request specifies no
 * tenant, the request acts for the tenant of its credentials.
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
 * Continues for a tenant, in a scope with a new origin. Code that started before the decision keeps the old scope, so
 * it can never act for the tenant.
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
