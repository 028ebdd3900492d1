import type { Application } from 'express'
import type { RequestHandler, Response } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import type { ResponseCause } from '../contracts/observers.js'
import type { FrameworkRoute } from '../contracts/plugin.js'
import type { Problem } from '../errors/config-error.js'
import { type CrossOrigin, crossOriginStep, type Security } from '../features/security/security.js'
import { isRefused } from '../http/continuations.js'
import { routerIn } from '../http/express-routers.js'
import type { BlazonRequest } from '../http/request.js'
import { limitQuery, refuseQuery } from '../pipeline/compile-dispatch.js'
import {
  composeMiddlewares,
  type MiddlewareEnds,
  type WatchMiddlewares,
} from '../pipeline/compose-middlewares.js'
import { nameRoutes } from '../pipeline/name-routes.js'
import { markCause, markRoutes, NO_MARKS } from '../pipeline/observe-steps.js'
import { ownSender } from '../pipeline/send-success.js'
import { buildFinder, type Router } from '../routing/build-router.js'
import type { RunRoute } from '../step/step.js'
import { MOUNT_REMEDY } from './check-middlewares.js'
import type { CompiledRoutes } from './compile-routes.js'
import { logWarnings } from './describe.js'
import type { ErrorPaths } from './error-paths.js'
import type { RequestObservers } from './observe-requests.js'
import type { ReadyMiddlewares } from './prepare-middlewares.js'
import type { Settings } from './settings/settings.js'
import type { RunningFeatures } from './start-features.js'
import type { NamedMiddleware } from './tenancy/check-routers.js'

/** The input of {@link buildRequestChain}. */
export interface RequestChainConfig {
  readonly settings: Settings
  readonly express: Application
  readonly logger: Logger
  readonly security: Security
  readonly features: RunningFeatures
  readonly middlewares: ReadyMiddlewares
  readonly errors: ErrorPaths
  readonly routes: CompiledRoutes
  /** The observers of all requests; `null` if no plugin observes them. */
  readonly observers: RequestObservers | null
}

/** The functions between the server and the router. */
export interface RequestChain {
  readonly run: RunRoute
  /** Like `run`, for a request with too many query parameters. */
  readonly runExcessive: RunRoute
}

/**
 * Builds the functions that run before the routes: `security`, then the tenant, then the middlewares. Routes of the
 * framework that run early come before all of them.
 */
export function buildRequestChain(config: RequestChainConfig): RequestChain {
  const { express, features, errors, routes, middlewares, logger } = config
  const { onEarlyError, onMiddlewareError, onLateError, onRefusal } = errors
  const { model, frameworkRoutes, match } = routes
  const traced = { routes: model.routes, others: frameworkRoutes, onError: errors.onError }
  const watch = watchMiddlewares({
    named: middlewares.named,
    match,
    routes: [...model.routes, ...frameworkRoutes],
    logger,
    isProduction: process.env['NODE_ENV'] === 'production',
  })
  const isObserved = config.observers !== null
  const mark = isObserved ? markCause : NO_MARKS
  // A part that the application does not have cannot respond, so it is not marked.
  const markPart = (cause: ResponseCause, part: RunRoute, inner: RunRoute) =>
    part === inner ? inner : mark(cause, part)
  const named = nameRoutes(routes.handlers, traced)
  const handlers = isObserved ? markRoutes(named, model.routes, frameworkRoutes) : named
  const dispatch = routes.compileDispatch({
    match,
    routes: model.routes,
    handlers,
    onError: onRefusal,
    ipRateLimit: features.ipRateLimit,
    sendMethods: ownSender({
      name: 'OPTIONS',
      envelope: config.settings.envelope,
      headers: null,
      produces: null,
      operation: { responses: [] },
    }),
  })
  const ends = { done: mark('router', dispatch), onError: onMiddlewareError, onLateError, watch }
  const inScope = markPart('middleware', inFrontOf(ends, middlewares.handlers), ends.done)
  const enter = features.enter?.({ run: inScope, onError: onEarlyError }) ?? inScope
  const entered = markPart('tenant', enter, inScope)
  const run = markPart('security', behindSecurity(config, entered), entered)
  const refuse = behindSecurity(config, refuseQuery(onRefusal))
  const runExcessive = limitQuery({ express, match, run, refuse })
  const putFirst = earlyRoutes({ frameworkRoutes, handlers })
  return { run: putFirst(run), runExcessive: putFirst(runExcessive) }
}

/**
 * Puts `security` before `run`. Refused requests also pass through it, because scripts in a browser can read a refusal
 * only with the correct CORS headers.
 */
function behindSecurity({ security, errors }: RequestChainConfig, run: RunRoute): RunRoute {
  const { onEarlyError: onError, onLateError } = errors
  const put: PutInFront = (list, done) => inFrontOf({ done, onError, onLateError }, list)
  return put(security.middlewares, shareWithOrigins(security.crossOrigin, put, run))
}

type PutInFront = (list: readonly RequestHandler[], done: RunRoute) => RunRoute

function inFrontOf(ends: MiddlewareEnds, list: readonly RequestHandler[]): RunRoute {
  return list.length === 0 ? ends.done : composeMiddlewares(list, ends)
}

function shareWithOrigins(
  crossOrigin: CrossOrigin | null,
  put: PutInFront,
  run: RunRoute,
): RunRoute {
  if (crossOrigin === null) return run
  const preflighted = put([crossOrigin.preflight], run)
  return crossOriginStep(crossOrigin, { preflighted, run })
}

/** The input of {@link earlyRoutes}. */
interface EarlyRoutes {
  readonly frameworkRoutes: readonly FrameworkRoute[]
  /** The compiled routes. The routes of `frameworkRoutes` are at the end, in the same order. */
  readonly handlers: readonly RunRoute[]
}

/**
 * Returns a function that puts the early routes before everything else that a request passes through. Without early
 * routes, it returns its argument. Early routes have a separate router, because the router of all routes runs after the
 * middlewares, which can change the URL.
 */
function earlyRoutes({ frameworkRoutes, handlers }: EarlyRoutes): (run: RunRoute) => RunRoute {
  const first = handlers.length - frameworkRoutes.length
  const early = frameworkRoutes.flatMap(({ path, early }, place) =>
    early === true ? [{ index: first + place, method: 'GET' as const, path }] : [],
  )
  if (early.length === 0) return (run) => run
  const find = buildFinder(early)
  return (run) =>
    function runEarly(req, res) {
      const found = find(req.method, req.url)
      if (found === null) return run(req, res)
      req.params = found.params
      ;(handlers[found.index] as RunRoute)(req, res)
    }
}

/** The input of {@link watchMiddlewares}. */
export interface WatchConfig {
  /** The middlewares, in order, with their names. */
  readonly named: readonly NamedMiddleware[]
  readonly match: Router
  /** Every route, by index. */
  readonly routes: readonly { readonly path: string }[]
  readonly logger: Logger
  /** In production, only routers and applications are watched, and only for 404 responses. */
  readonly isProduction: boolean
}

/**
 * Creates the function that logs one warning if a middleware responds to a request for which this application has a
 * route. A catch-all middleware hides every route, and no other message reports this problem. A refusal or redirect
 * does not indicate a catch-all, so only 404 and 2XX responses count. `undefined` if there is nothing to watch.
 */
export function watchMiddlewares(config: WatchConfig): WatchMiddlewares | undefined {
  const { named, match, routes, logger, isProduction } = config
  const isWatched = named.map(
    ({ middleware }) => !isProduction || routerIn(middleware) !== undefined,
  )
  if (!isWatched.includes(true)) return undefined
  const end = named.length
  // The routes that a request has reached, so they are not hidden. A middleware that caches responses can respond to
  // later requests.
  const reached = new WeakSet<object>()
  let hasWarned = false
  return function watch(req, res, holder) {
    if (hasWarned || req.method === 'OPTIONS') return
    const { method, url, headers } = req
    res.once('finish', () => {
      const place = holder()
      if (place === end) return noteReached(req)
      if (hasWarned || !isWatched[place] || !isSuspicious(req, res)) return
      const found = match(method, url, headers)
      if (found.kind !== 'route') return
      const route = routes[found.index] as { readonly path: string }
      if (reached.has(route) || (res.statusCode !== 404 && isFallback(route.path))) return
      hasWarned = true
      const request = `${method} ${route.path}`
      logWarnings(logger, [hidden(named[place] as NamedMiddleware, request, res.statusCode)])
    })
  }
  function noteReached({ route }: BlazonRequest): void {
    if (!isProduction && typeof route === 'object') reached.add(route)
  }
  function isSuspicious(req: BlazonRequest, { statusCode }: Response): boolean {
    const isSuccess = !isProduction && statusCode >= 200 && statusCode < 300
    return (statusCode === 404 || isSuccess) && !isMeant(req) && !isRefused(req)
  }
}

/**
 * Whether an Express route with a specific path has responded. A handler for all paths does not count, because it could
 * be a catch-all.
 */
function isMeant({ route }: BlazonRequest): boolean {
  const path: unknown = (route as { path?: unknown } | undefined)?.path
  return typeof path === 'string' && !path.includes('*')
}

/**
 * Whether a route path contains a wildcard or consists only of parameters. Such a route is meant for the requests that
 * earlier middlewares, such as `express.static`, do not handle.
 */
function isFallback(path: string): boolean {
  return path.includes('*') || path.split('/').every((segment) => /^(:|$)/.test(segment))
}

function hidden({ name, middleware }: NamedMiddleware, request: string, status: number): Problem {
  const isNamed = middleware.name !== '' && routerIn(middleware) === undefined
  return {
    code: 'W_MIDDLEWARE_HIDES_ROUTE',
    subject: name,
    cause: `${isNamed ? `The middleware ${middleware.name}` : 'It'} responded to ${request} with ${status}, so the request did not reach a route of this application.`,
    remedy: `Remove its catch-all handler, or call \`next()\` in it for the paths of routes. ${MOUNT_REMEDY}`,
  }
}
