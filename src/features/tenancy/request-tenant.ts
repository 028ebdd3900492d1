import type { ErrorRequestHandler, NextFunction, RequestHandler } from '../../contracts/handler.js'
import type { TenantScope } from '../../contracts/tenant.js'
import { type Handle, type WrapHandle, wrapLayers } from '../../http/express-routers.js'
import { kTenantScope } from '../../http/own-fields.js'
import type { BlazonRequest } from '../../http/request.js'
import type { RequestScopes } from '../../http/request-scopes.js'
import type { RunRoute } from '../../step/step.js'
import { kRequest, TenantContext, tenantScope } from './tenant-context.js'
import { hostOf } from './tenant-hosts.js'

type Scoped = Pick<BlazonRequest, typeof kTenantScope>

/**
 * The scope in which a request goes on. A scope of the request's own origin is believed: a nested one is somebody's decision.
 * One of another origin was brought along by a pool or a connection that serves many, and none at all was lost. One that is less
 * deep is what the request was in before somebody decided: a pool has kept that.
 */
function scopeOf({ [kTenantScope]: own }: Scoped): TenantScope | undefined {
  if (own === undefined) return undefined
  const current = TenantContext.current()
  if (current === undefined || current.origin !== own.origin) return own
  return (current.depth ?? 0) < (own.depth ?? 0) ? own : current
}

/** Goes on in the scope of a request, which is from now on the one that a middleware has set. */
function rejoin<T>(req: Scoped, goOn: () => T): T {
  const scope = scopeOf(req)
  if (scope === undefined) return goOn()
  req[kTenantScope] = scope
  return scope === TenantContext.current() ? goOn() : TenantContext.run(scope, goOn)
}

/** Somebody may have come here in another request's scope. */
function keepScope<T>(req: Scoped, fn: () => T): T {
  return req[kTenantScope] === TenantContext.current() ? fn() : rejoin(req, fn)
}

/** The scopes of requests, as the rooms below know them. */
export const tenantScopes: RequestScopes = {
  of: scopeOf,
  run: TenantContext.run,
  keep: keepScope,
}

/** Runs a route in the scope of its request. */
export function scopeStage(run: RunRoute): RunRoute {
  return function runInScope(req, res) {
    // The usual case, without a closure.
    if (req[kTenantScope] === TenantContext.current()) run(req, res)
    else rejoin(req, () => run(req, res))
  }
}

/** Runs a route in nobody's name, whatever its request says. */
export function nobodyStage(run: RunRoute): RunRoute {
  const runInScope = scopeStage(run)
  return function runAsNobody(req, res) {
    const scope = scopeOf(req)
    // Of another origin, so that what a middleware has left in the request's name is not taken for its own.
    if (scope?.id !== undefined || scope?.claim !== undefined) {
      req[kTenantScope] = tenantScope(undefined, { origin: {}, host: scope.host })
    }
    runInScope(req, res)
  }
}

/** Middlewares, told apart. */
interface Sorted {
  readonly handlers: readonly RequestHandler[]
  readonly errorHandlers: readonly {
    readonly handle: ErrorRequestHandler
    readonly place: number
  }[]
}

/**
 * Makes what comes after middlewares run in the scope of its request: one that reads a body, or asks a pool, may call `next`
 * where the context is lost, or another request's. What a middleware sets by `runWithTenant(id, next)` holds from then on.
 *
 * @param all As they were given: what they call themselves is wrapped where it stands.
 */
export function keepMiddlewares(
  all: readonly unknown[],
  { handlers, errorHandlers }: Sorted,
): Sorted {
  for (const middleware of all) wrapLayers(middleware, keepHandle)
  return {
    handlers: handlers.map(keepTenant),
    errorHandlers: errorHandlers.map(({ handle, place }) => {
      return { handle: keepHandle(handle, 'error') as ErrorRequestHandler, place }
    }),
  }
}

/** Enters no scope: a request comes to the middlewares of its application by ways that do. */
function keepTenant(middleware: RequestHandler): RequestHandler {
  return function runKeepingTenant(req: BlazonRequest, res, next) {
    return middleware(req, res, keepNext(req, next))
  }
}

/**
 * Makes what a router calls run in the scope of the request that it is called for, whichever application that is of. A request
 * that has no scope is left alone. The scope is entered before each one, too: there are ways on beside `next`, such as `req.next`.
 */
export const keepHandle: WrapHandle = (handle, kind) => {
  if (kind === 'error') {
    return function runKept(this: unknown, error: unknown, req: BlazonRequest, res, next) {
      if (req[kTenantScope] === undefined) return handle.call(this, error, req, res, next)
      return keepScope(req, () => handle.call(this, error, req, res, keepNext(req, next)))
    }
  }
  return function runKept(this: unknown, req: BlazonRequest, res, next, ...rest) {
    if (req[kTenantScope] === undefined) return handle.call(this, req, res, next, ...rest)
    return keepScope(req, () => handle.call(this, req, res, keepNext(req, next), ...rest))
  } as Handle
}

/** The way on, back in the scope of the request. */
function keepNext(req: BlazonRequest, next: NextFunction): NextFunction {
  const goOn = ((argument?: unknown) => {
    // The usual case, without a closure.
    if (req[kTenantScope] === TenantContext.current()) return next(argument)
    if (isStranger(req)) tellOfStranger(req)
    rejoin(req, () => next(argument))
  }) as NextFunction & { [kRequest]?: BlazonRequest }
  goOn[kRequest] = req
  return goOn
}

/** Whether the tenant of now is another request's, where this one's is missing: it may have been meant for this one. */
function isStranger({ [kTenantScope]: own }: BlazonRequest): boolean {
  if (own?.id !== undefined || own?.claim !== undefined) return false
  const current = TenantContext.current()
  return current?.id !== undefined && current.origin !== own?.origin
}

const STRANGER =
  'A middleware called `next` in the tenant scope of another request. That scope is ignored: this request keeps its own. To set a tenant, pass `next` itself: runWithTenant(id, next), or bind the callback: TenantContext.bind(callback).'

/** Once for an application. */
function tellOfStranger(req: BlazonRequest): void {
  const host = hostOf(req[kTenantScope])
  if (host === undefined || host.isToldOfStranger) return
  host.isToldOfStranger = true
  host.logger.warn({}, STRANGER)
}
