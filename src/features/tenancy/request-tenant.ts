import type { StepFactory } from '../../contracts/steps.js'
import type { TenantScope } from '../../contracts/tenant.js'
import { scopeOn, setScope, TenantContext, tenantScope } from './tenant-context.js'

/**
 * Returns the scope in which a request continues. The current scope is used if it has the request's origin, because the
 * application has then entered it intentionally with `runWithTenant`. In three cases, the request's own scope is used
 * instead. There may be no current scope, because a callback has lost the async context. The current scope may have
 * another origin, because a shared pool or connection runs callbacks in another request's scope. Or the current scope
 * may be less deep, because a pool stored the context before a middleware entered a nested scope.
 */
function scopeOf(req: object): TenantScope | undefined {
  const own = scopeOn(req)
  if (own === undefined) return undefined
  const current = TenantContext.current()
  if (current === undefined || current.origin !== own.origin) return own
  return (current.depth ?? 0) < (own.depth ?? 0) ? own : current
}

/**
 * Continues in the scope of a request. Stores the scope on the request, because a middleware may have changed the
 * scope.
 */
export function rejoin<T>(req: object, goOn: () => T): T {
  const scope = scopeOf(req)
  if (scope === undefined) return goOn()
  setScope(req, scope)
  return scope === TenantContext.current() ? goOn() : TenantContext.run(scope, goOn)
}

/** Runs a function in the scope of a request. The caller may be in the scope of another request. */
function keepScope<T>(req: object, fn: () => T): T {
  return scopeOn(req) === TenantContext.current() ? fn() : rejoin(req, fn)
}

/** Separates the scopes of requests in cases where Node's async context does not. */
export interface TenantScopes {
  /** Returns the scope in which the code of a request now runs; `undefined` until the scope is known. */
  of(req: object): TenantScope | undefined
  /** Returns the scope of the running code. */
  current(): TenantScope | undefined
  run<T>(scope: TenantScope, fn: () => T): T
  /** Runs a function in the scope of a request. */
  keep<T>(req: object, fn: () => T): T
}

/** The scopes of all requests of this process. */
export const tenantScopes: TenantScopes = {
  of: scopeOf,
  current: TenantContext.current,
  run: TenantContext.run,
  keep: keepScope,
}

/** Runs a route in the scope of its request. */
export const scopeStage: StepFactory = (next) =>
  function runInScope(req, res) {
    // In this usual case, no closure is needed.
    if (scopeOn(req) === TenantContext.current()) return next(req, res)
    return rejoin(req, () => next(req, res))
  }

/** Runs a route without a tenant, even if its request specifies one. */
export const withoutTenantStage: StepFactory = (next) => {
  const runInScope = scopeStage(next)
  return function runTenantless(req, res) {
    const scope = scopeOf(req)
    // The new scope has a new origin. Otherwise, a callback that a middleware started with the tenant would still
    // belong to this request.
    if (scope?.id !== undefined || scope?.claim !== undefined) {
      setScope(req, tenantScope(undefined, { origin: {}, host: scope.host }))
    }
    return runInScope(req, res)
  }
}
