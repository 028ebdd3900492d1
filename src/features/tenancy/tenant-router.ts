import express from 'express'
import type { NextFunction, Request, RequestHandler, Response } from '../../contracts/handler.js'
import { isExpressApp, kBehind } from '../../http/express-routers.js'
import { kTenantScope } from '../../http/own-fields.js'
import type { BlazonRequest } from '../../http/request.js'
import { runExpressApp } from '../../http/run-express-app.js'
import { noteRefusal, noteResume } from '../../http/ways-on.js'
import { isNextError } from '../../step/next-error.js'
import { Refusal } from '../../step/refusal.js'
import { isThenable } from '../../step/thenable.js'
import { TenantContext } from './tenant-context.js'
import { hostOf } from './tenant-hosts.js'

/** Options of `tenantRouter`. */
export interface TenantRouterOptions {
  /** Where the router is mounted, as by `app.use(path, router)`; what is elsewhere passes by it and by the guard. Default `'/'`. */
  readonly path?: string
}

/** What a router is given as: Express' own, an application, or a function of the same kind. */
type RouterHandler = (req: Request, res: Response, next: NextFunction) => unknown

const kGuarded: unique symbol = Symbol('blazon.guardedRouter')
const kOpen: unique symbol = Symbol('blazon.openRouter')

/** What stands behind a middleware of `tenantRouter`. */
interface GuardedRouter {
  readonly router: RouterHandler
  readonly path: string
}

/**
 * What is known of a middleware. A field of it, and not a list of them: where it stands in a router, something may have been put
 * around it, which has its fields.
 */
interface Marked {
  [kGuarded]?: GuardedRouter
  [kOpen]?: true
}

/**
 * Makes a router, or an Express application, for `middlewares` whose requests need a tenant: the application's guard is asked first
 * (401, 403), then for a tenant (400), then `tenant.authorize` (403), as before a route with `@Tenant()` and `@Auth()`. The router
 * runs in the name of that tenant. A request that it passes on goes on as it came.
 *
 * @param router Express' `Router()`, or `express()`.
 * @throws TypeError for what is no router, and for a path that does not begin with `/`. A request that comes to it outside of an
 * application with `tenant` and `auth.guard` fails; the application itself does not start without.
 * @example
 * new App({ auth: { guard }, tenant: { authorize }, middlewares: [tenantRouter(legacy, { path: '/legacy' })] })
 */
export function tenantRouter(
  router: RouterHandler,
  options: TenantRouterOptions = {},
): RequestHandler {
  const { path = '/' } = options
  if (typeof router !== 'function' || router.length > 3) {
    throw new TypeError('tenantRouter() needs a router: express.Router(), or express().')
  }
  if (typeof path !== 'string' || !path.startsWith('/')) {
    throw new TypeError(`tenantRouter(): the path is ${String(path)}. Give one like '/legacy'.`)
  }
  const guard = guardRouter(isExpressApp(router) ? runExpressApp(router) : router)
  Object.defineProperty(guard, kBehind, { value: router })
  const mounted: RequestHandler = path === '/' ? guard : express.Router().use(path, guard)
  for (const middleware of [guard, mounted]) mark(middleware, kGuarded, { router, path })
  return mounted
}

/**
 * Says of a router in `middlewares` that it is open on purpose: the boot does not warn of it. It changes nothing else: with
 * `tenant.authorize` the router runs in nobody's name, without in that of whatever tenant a request names.
 *
 * @returns the router.
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

/** Whether a router was said to be open. */
export function isOpenRouter(router: object): boolean {
  return (router as Marked)[kOpen] === true
}

/** The router behind a middleware of `tenantRouter`; `undefined` for any other. */
export function guardedRouterOf(middleware: object): GuardedRouter | undefined {
  return (middleware as Marked)[kGuarded]
}

const OUTSIDE =
  'tenantRouter() works only in the `middlewares` of an App with `tenant` and `auth.guard`, or of a plugin of that App: there is no guard here that could be called.'

/** The application is that of the request: a router may be given to several. */
function guardRouter(router: RouterHandler): RequestHandler {
  return function guardedRouter(req: BlazonRequest, res, next) {
    const admit = hostOf(req[kTenantScope])?.admit ?? null
    if (admit === null) throw new Error(OUTSIDE)
    const { [kTenantScope]: scope, user } = req
    /** What comes after the router has not been asked about. */
    function resume(goOn: () => void): void {
      // Who asks whether there is one, shall not be told so of one that is `undefined`.
      if (req.user !== user) req.user = user
      req[kTenantScope] = scope
      TenantContext.run(scope, goOn)
    }
    let hasLeft = false
    function leave(argument?: unknown): void {
      // What others have made of the request since it left is theirs.
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

/** To `next`, `undefined` and `'router'` would mean to go on. */
function asError(error: unknown): unknown {
  return isNextError(error)
    ? error
    : new Error(
        'The guard or `tenant.authorize` in front of a router threw a value that is not an error',
      )
}
