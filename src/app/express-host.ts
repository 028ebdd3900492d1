import express, { type Application } from 'express'
import type { ErrorRequestHandler, Middleware, RequestHandler } from '../contracts/handler.js'
import { guardedRouterOf } from '../features/tenancy/tenant-router.js'
import { isExpressApp } from '../http/express-routers.js'
import type { RequestClass } from '../http/request.js'
import type { ResponseClass } from '../http/response.js'
import { runExpressApp } from '../http/run-express-app.js'
import type { AppOptions } from './options.js'

/** The Express application behind `req.app`: it holds settings and renders views; it routes nothing. */
export function createExpressHost(): Application {
  const host = express()
  host.disable('x-powered-by')
  host.set('etag', false)
  return host
}

/** Passes the options that are settings of Express on to it. */
export function configureExpressHost(host: Application, { trustProxy, etag }: AppOptions): void {
  if (etag === true) host.set('etag', 'weak')
  if (trustProxy !== undefined) host.set('trust proxy', trustProxy)
}

/** Why Express refuses a value of `trust proxy`; `null` when it does not. */
export function trustProxyProblem(trustProxy: AppOptions['trustProxy']): string | null {
  try {
    express().set('trust proxy', trustProxy)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/** `middlewares`, told apart the way Express does it: four parameters make an error middleware. */
export interface SortedMiddlewares {
  readonly handlers: readonly RequestHandler[]
  readonly errorHandlers: readonly ErrorRequestHandler[]
}

/** Sorts middlewares, and mounts those that are Express applications of their own. */
export function sortMiddlewares(
  middlewares: readonly Middleware[],
  host: Application,
): SortedMiddlewares {
  const handlers: RequestHandler[] = []
  const errorHandlers: ErrorRequestHandler[] = []
  for (const middleware of middlewares) {
    const guarded = guardedRouterOf(middleware)
    if (isExpressApp(guarded?.router)) adopt(guarded.router, host, guarded.path)
    if (isExpressApp(middleware)) handlers.push(mount(middleware, host))
    else if (middleware.length === 4) errorHandlers.push(middleware as ErrorRequestHandler)
    else handlers.push(middleware as RequestHandler)
  }
  return { handlers, errorHandlers }
}

/** Makes applications that are mounted on the host inherit our prototypes, as `app.use` would make them inherit Express'. */
export function adoptPrototypes(host: Application, req: RequestClass, res: ResponseClass): void {
  Object.assign(host, { request: req.prototype, response: res.prototype })
}

function mount(app: Application, host: Application): RequestHandler {
  adopt(app, host, '/')
  return runExpressApp(app)
}

/** Makes an application a child of the host, as `app.use(path, app)` would. */
function adopt(app: Application, host: Application, path: string): void {
  const mounted = app as Application & { parent?: Application }
  mounted.mountpath = path
  mounted.parent = host
  app.emit('mount', host)
}
