import type { Application } from 'express'
import type { Middleware, RequestHandler } from '../contracts/handler.js'
import { isExpressApp } from '../http/express-routers.js'
import { runExpressApp } from '../http/hosted-app.js'
import type { PlacedErrorMiddleware } from '../pipeline/compose-error-middlewares.js'
import type { Settings } from './settings/settings.js'
import type { RunningFeatures } from './start-features.js'
import type { NamedMiddleware } from './tenancy/check-routers.js'
import { guardedRouterOf } from './tenancy/tenant-router.js'

/** The `middlewares`, sorted as in Express: a function with four parameters is an error middleware. */
export interface SortedMiddlewares {
  readonly handlers: readonly RequestHandler[]
  readonly errorHandlers: readonly PlacedErrorMiddleware[]
}

/** The middlewares of an application and its plugins, ready to run. */
export interface ReadyMiddlewares extends SortedMiddlewares {
  /** The entries of `handlers`, with their names for warnings. */
  readonly named: readonly NamedMiddleware[]
}

/**
 * Sorts the middlewares. If requests have scopes, each middleware is wrapped so that it runs in the scope of
 * its request.
 */
export function prepareMiddlewares(
  { middlewares: all }: Settings,
  { express, features }: { express: Application; features: RunningFeatures },
): ReadyMiddlewares {
  const middlewares = all.map(({ middleware }) => middleware)
  const sorted = sortMiddlewares(middlewares, express)
  const kept = features.wrapMiddlewares?.(middlewares, sorted) ?? sorted
  return { ...kept, named: all.filter(({ middleware }) => !isForErrors(middleware)) }
}

/** Whether a middleware is an error middleware. Error middlewares are in a separate list. */
export function isForErrors(middleware: object): boolean {
  return !isExpressApp(middleware) && (middleware as Middleware).length === 4
}

/** Sorts middlewares, and mounts Express applications among them. */
function sortMiddlewares(middlewares: readonly Middleware[], host: Application): SortedMiddlewares {
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

function mount(app: Application, host: Application): RequestHandler {
  adopt(app, host, '/')
  return runExpressApp(app)
}

/** Makes an Express application a child of the host, as `app.use(path, app)` does. */
function adopt(app: Application, host: Application, path: string): void {
  const mounted = app as Application & { parent?: Application }
  mounted.mountpath = path
  mounted.parent = host
  app.emit('mount', host)
}
