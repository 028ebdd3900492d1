import type { NextFunction, RequestHandler } from '../../contracts/handler.js'
import type { TenantScope } from '../../contracts/tenant.js'
import type { BlazonRequest } from '../../http/request.js'
import type { RequestScopes } from '../../http/request-scopes.js'
import type { RunRoute } from '../../http/step.js'
import { kRequest, TenantContext, tenantScope } from './tenant-context.js'

/**
 * The scope in which a request goes on. A scope of the request's own origin is believed: a nested one is somebody's decision.
 * One of another origin was brought along by a pool or a connection that serves many, and none at all was lost.
 */
function scopeOf({
  tenantScope: own,
}: Pick<BlazonRequest, 'tenantScope'>): TenantScope | undefined {
  if (own === undefined) return undefined
  const current = TenantContext.current()
  return current?.origin === own.origin ? current : own
}

/** The scopes of requests, as the rooms below know them. */
export const tenantScopes: RequestScopes = { of: scopeOf, run: TenantContext.run }

/** Goes on in the scope of a request, which is from now on the one that a middleware has set. */
function rejoin(req: BlazonRequest, goOn: () => void): void {
  const scope = scopeOf(req)
  if (scope === undefined) return goOn()
  req.tenantScope = scope
  if (scope === TenantContext.current()) goOn()
  else TenantContext.run(scope, goOn)
}

/** Runs a route in the scope of its request. */
export function scopeStage(run: RunRoute): RunRoute {
  return function runInScope(req, res) {
    // The usual case, without a closure.
    if (req.tenantScope === TenantContext.current()) run(req, res)
    else rejoin(req, () => run(req, res))
  }
}

/** Runs a route in nobody's name, whatever its request says. */
export function nobodyStage(run: RunRoute): RunRoute {
  const runInScope = scopeStage(run)
  return function runAsNobody(req, res) {
    const scope = scopeOf(req)
    // Of another origin, so that what a middleware has left in the request's name is not taken for its own.
    if (scope?.id !== undefined) {
      req.tenantScope = tenantScope(undefined, { origin: {}, host: scope.host })
    }
    runInScope(req, res)
  }
}

/**
 * Makes what comes after a middleware run in the scope of its request: one that reads a body, or asks a pool, may call `next`
 * where the context is lost, or another request's. What a middleware sets by `runWithTenant(id, next)` holds from then on.
 *
 * @param onStranger Called when a middleware goes on in the scope of another request, and its own has no tenant.
 */
export function keepTenant(middleware: RequestHandler, onStranger: () => void): RequestHandler {
  return function runKeepingTenant(req: BlazonRequest, res, next) {
    const goOn = ((argument?: unknown) => {
      // The usual case, without a closure.
      if (req.tenantScope === TenantContext.current()) return next(argument)
      if (isStranger(req)) onStranger()
      rejoin(req, () => next(argument))
    }) as NextFunction & { [kRequest]?: BlazonRequest }
    goOn[kRequest] = req
    return middleware(req, res, goOn)
  }
}

/** Whether the tenant of now is another request's, where this one's is missing: it may have been meant for this one. */
function isStranger({ tenantScope: own }: BlazonRequest): boolean {
  const current = TenantContext.current()
  return own?.id === undefined && current?.id !== undefined && current.origin !== own?.origin
}
