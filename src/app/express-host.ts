import express, { type Application } from 'express'
import type { Middleware, RequestHandler } from '../contracts/handler.js'
import { guardedRouterOf } from '../features/tenancy/tenant-router.js'
import { isExpressApp } from '../http/express-routers.js'
import { hostedApp } from '../http/hosted-app.js'
import { hostedRequestClass, type RequestClass } from '../http/request.js'
import { runExpressApp } from '../http/run-express-app.js'
import { hostedResponseClass, type ResponseClass } from '../http/send/response-class.js'
import type { PlacedErrorMiddleware } from '../pipeline/run-error-middlewares.js'
import type { Settings } from './settings/settings.js'

/** The Express application behind `req.app`: it holds settings and renders views; it routes nothing. */
export function createExpressHost(): Application {
  const host = express()
  host.disable('x-powered-by')
  host.set('etag', false)
  return host
}

/** Passes on to Express the settings that are its own. */
export function configureExpressHost(host: Application, { trustProxy, etag }: Settings): void {
  if (etag) host.set('etag', 'weak')
  if (trustProxy !== null) host.set('trust proxy', trustProxy)
}

/** `middlewares`, told apart the way Express does it: four parameters make an error middleware. */
export interface SortedMiddlewares {
  readonly handlers: readonly RequestHandler[]
  readonly errorHandlers: readonly PlacedErrorMiddleware[]
}

/** Whether a middleware is one for errors, which run in their own order. */
export function isForErrors(middleware: object): boolean {
  return !isExpressApp(middleware) && (middleware as Middleware).length === 4
}

/** Sorts middlewares, and mounts those that are Express applications of their own. */
export function sortMiddlewares(
  middlewares: readonly Middleware[],
  host: Application,
): SortedMiddlewares {
  const handlers: RequestHandler[] = []
  const errorHandlers: PlacedErrorMiddleware[] = []
  for (const middleware of middlewares) {
    const guarded = guardedRouterOf(middleware)
    if (isExpressApp(guarded?.router)) adopt(guarded.router, host, guarded.path)
    if (isExpressApp(middleware)) handlers.push(mount(middleware, host))
    else if (isForErrors(middleware)) errorHandlers.push(placed(middleware, handlers.length))
    else handlers.push(middleware as RequestHandler)
  }
  return { handlers, errorHandlers }
}

function placed(middleware: Middleware, place: number): PlacedErrorMiddleware {
  return { handle: middleware as PlacedErrorMiddleware['handle'], place }
}

/**
 * Makes applications that are mounted on the host inherit our prototypes, as `app.use` would make them inherit Express'. What
 * the program has added to Express' before now stands in ours.
 */
export function adoptPrototypes(host: Application, req: RequestClass, res: ResponseClass): void {
  const { request, response } = host as Application & { request: object; response: object }
  moveExtensions(request, req.prototype)
  moveExtensions(response, res.prototype)
  Object.assign(host, { request: req.prototype, response: res.prototype })
}

function moveExtensions(from: object, to: object): void {
  const { app: _app, ...extensions } = Object.getOwnPropertyDescriptors(
    from,
  ) as PropertyDescriptorMap
  Object.defineProperties(to, extensions)
}

/** The classes of messages that one host has mounted the application for. */
export interface MessageClasses {
  readonly Request: RequestClass
  readonly Response: ResponseClass
}

/**
 * Finds the classes for a host by its requests: what `req.app` is, as far as that is an Express application. They are made on its
 * first request.
 */
export function hostedClasses(
  app: Application,
  own: MessageClasses,
): (host: unknown) => MessageClasses {
  const byHost = new WeakMap<Application, MessageClasses>()
  return function classesFor(host) {
    if (!isExpressApp(host)) return own
    const known = byHost.get(host)
    if (known !== undefined) return known
    const hosted = hostedApp(app, host)
    const made = {
      Request: hostedRequestClass(own.Request, hosted),
      Response: hostedResponseClass(own.Response, hosted),
    }
    Object.assign(hosted, { request: made.Request.prototype, response: made.Response.prototype })
    byHost.set(host, made)
    return made
  }
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
