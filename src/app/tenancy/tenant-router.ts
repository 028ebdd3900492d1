import type { NextFunction, Request, RequestHandler, Response } from '../../contracts/handler.js'
import { type OptionNames, refuseUnknown } from '../../errors/option-group.js'
import { TenantContext } from '../../features/tenancy/tenant-context.js'
import { noteRefusal, noteResume } from '../../http/continuations.js'
import { createExpressRouter } from '../../http/express-parts.js'
import { isExpressApp, kWrappedRouter } from '../../http/express-routers.js'
import { runExpressApp } from '../../http/hosted-app.js'
import type { BlazonRequest } from '../../http/request.js'
import { keyIdOf, replaceKeyId } from '../../http/request-state.js'
import { kAuthResult, kTenantScope } from '../../http/symbol-fields.js'
import { isNextError } from '../../pipeline/middleware-errors.js'
import { Refusal } from '../../step/refusal.js'
import { isThenable, type Step } from '../../step/step.js'

/** Options of `tenantRouter`. */
export interface TenantRouterOptions {
  /**
   * The path at which the router is mounted, as with `app.use(path, router)`. Requests to other paths skip both the
   * router and the guard. Default `'/'`.
   */
  readonly path?: string
}

/** The options of `tenantRouter`, for the check for unknown names. */
const NAMES: OptionNames<TenantRouterOptions> = { path: true }

type RouterHandler = (req: Request, res: Response, next: NextFunction) => unknown

const kGuarded: unique symbol = Symbol('blazon.guardedRouter')
const kOpen: unique symbol = Symbol('blazon.openRouter')

/** The router in a middleware of `tenantRouter`. */
interface GuardedRouter {
  readonly router: RouterHandler
  readonly path: string
}

/**
 * The marks on a middleware. They are function fields instead of `WeakMap` entries, because a wrapper of `wrapLayers`
 * inherits the fields of its middleware, and so has the same marks.
 */
interface Marked {
  [kGuarded]?: GuardedRouter
  [kOpen]?: true
}

/**
 * Wraps a router or an Express application for `middlewares`, so that its requests require a tenant. The same checks
 * run as before a route with `@Tenant()` and `@Auth()`: the application's guard (401, 403), whether the request
 * specifies a tenant (400), and `tenant.authorize` (403). The router runs for that tenant. A request that the router
 * passes on continues with its previous user and tenant.
 *
 * @param router `express.Router()` or `express()`.
 * @param options Where the router is mounted.
 * @throws TypeError if `router` is not a router, or the path does not begin with `/`. An application that lists the
 * middleware in `middlewares`, but has no `tenant` or no `auth.guard`, does not start. If the middleware is used
 * outside `middlewares`, its requests fail.
 * @example
 * new App({ auth: { guard }, tenant: { authorize }, middlewares: [tenantRouter(legacy, { path: '/legacy' })] })
 */
export function tenantRouter(
  router: RouterHandler,
  options: TenantRouterOptions = {},
): RequestHandler {
  refuseUnknown('tenantRouter()', options, NAMES)
  const { path = '/' } = options
  if (typeof router !== 'function' || router.length > 3) {
    throw new TypeError('tenantRouter() needs a router: express.Router(), or express().')
  }
  if (typeof path !== 'string' || !path.startsWith('/')) {
    throw new TypeError(
      `tenantRouter(): the path is ${String(path)}. Pass a path such as '/legacy'.`,
    )
  }
  const guard = guardRouter(isExpressApp(router) ? runExpressApp(router) : router)
  Object.defineProperty(guard, kWrappedRouter, { value: router })
  const mounted: RequestHandler = path === '/' ? guard : createExpressRouter().use(path, guard)
  for (const middleware of [guard, mounted]) mark(middleware, kGuarded, { router, path })
  return mounted
}

/**
 * Marks a router in `middlewares` as intentionally public, so that boot does not warn about it. Nothing else changes:
 * with `tenant.authorize`, the router runs without a tenant; without `tenant.authorize`, it runs for any tenant that a
 * request specifies.
 *
 * @param router `express.Router()` or `express()`.
 * @returns the same router.
 * @throws TypeError if the router is not a function.
 * @example
 * new App({ tenant: {}, middlewares: [publicRouter(webhooks)] })
 */
export function publicRouter<T extends RouterHandler>(router: T): T {
  if (typeof router !== 'function') {
    throw new TypeError('publicRouter() needs a router: express.Router(), or express().')
  }
  mark(router, kOpen, true)
  return router
}

function mark<K extends keyof Marked>(middleware: object, key: K, value: Marked[K]): void {
  Object.defineProperty(middleware, key, { value, configurable: true })
}

/** Whether `publicRouter` has marked a router. */
export function isOpenRouter(router: object): boolean {
  return (router as Marked)[kOpen] === true
}

/** Returns the router in a middleware of `tenantRouter`; `undefined` for any other middleware. */
export function guardedRouterOf(middleware: object): GuardedRouter | undefined {
  return (middleware as Marked)[kGuarded]
}

/** The steps that decide whether a request is allowed to enter a router, by application. */
const routerAccess = new WeakMap<object, Step>()

/**
 * Sets the step that decides whether a request of an application is allowed to enter a router in `tenantRouter`. The
 * step runs the guard, requires a tenant, and runs `authorize`. Only the result `true` admits the request.
 *
 * @param host The object that identifies the application in the scopes of its requests.
 */
export function noteRouterAccess(host: object, admit: Step): void {
  routerAccess.set(host, admit)
}

const OUTSIDE =
  'tenantRouter() works only in the `middlewares` of an App with `tenant` and `auth.guard`, or of a plugin of that App: elsewhere, it has no guard to call.'

/**
 * Creates the middleware that runs the checks and then the router. It determines the application from the request,
 * because several applications can use the same router.
 */
function guardRouter(router: RouterHandler): RequestHandler {
  return function guardedRouter(req: BlazonRequest, res, next) {
    const { host } = req[kTenantScope] ?? {}
    const admit = host === undefined ? undefined : routerAccess.get(host)
    if (admit === undefined) throw new Error(OUTSIDE)
    const { [kTenantScope]: scope, [kAuthResult]: result, user } = req
    const key = keyIdOf(req)
    /**
     * Restores the user, the key and the scope from before the checks, because the checks do not apply to handlers
     * after the router.
     */
    function resume(goOn: () => void): void {
      // Writing `undefined` would create the field, and then `'user' in req` would be true.
      if (req.user !== user) req.user = user
      if (req[kAuthResult] !== result) Object.assign(req, { [kAuthResult]: result })
      replaceKeyId(req, key)
      req[kTenantScope] = scope
      TenantContext.run(scope, goOn)
    }
    let hasLeft = false
    function leave(argument?: unknown): void {
      // If `next` is called again later, `req.user` is not restored, because handlers after the router could have
      // changed it.
      const isLate = hasLeft
      hasLeft = true
      if (!isNextError(argument)) {
        const goOn = () => next(argument as undefined)
        return isLate ? TenantContext.run(scope, goOn) : resume(goOn)
      }
      if (!isLate) noteResume(req, resume)
      next(argument)
    }
    function decide(verdict: unknown): unknown {
      if (verdict !== true) return refuse(reasonOf(verdict))
      return TenantContext.run(req[kTenantScope], () => router(req, res, leave))
    }
    function refuse(error: unknown): void {
      noteRefusal(req)
      next(asError(error))
    }
    let verdict: unknown
    try {
      verdict = admit(req, res)
    } catch (error) {
      return refuse(error)
    }
    return isThenable(verdict) ? verdict.then(decide, refuse) : decide(verdict)
  }
}

function reasonOf(verdict: unknown): unknown {
  return asError(verdict instanceof Refusal ? verdict.error : undefined)
}

/** `next(undefined)` and `next('router')` do not report an error, so an error replaces such a value. */
function asError(error: unknown): unknown {
  return isNextError(error)
    ? error
    : new Error(
        'The guard or `tenant.authorize` in front of a router threw a value that is not an error',
      )
}
