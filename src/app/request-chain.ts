import type { Application } from 'express'
import type { ResponseCause } from '../contracts/ended-request.js'
import type { FrameworkRoute } from '../contracts/framework-route.js'
import type { RequestHandler } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import { type CrossOrigin, crossOriginStep } from '../features/security/cross-origin.js'
import type { Security } from '../features/security/security.js'
import { composeMiddlewares, type MiddlewareEnds } from '../pipeline/compose-middlewares.js'
import { limitQuery, refuseQuery } from '../pipeline/limit-query.js'
import { markCause, markRoutes, NO_MARKS } from '../pipeline/mark-causes.js'
import { nameRoutes } from '../pipeline/name-routes.js'
import { ownSender } from '../pipeline/send-success.js'
import { buildFinder } from '../routing/build-router.js'
import type { RunRoute } from '../step/step.js'
import type { CompiledRoutes } from './compile-routes.js'
import type { ErrorPaths } from './error-paths.js'
import type { RequestObservers } from './observe-requests.js'
import type { ReadyMiddlewares } from './prepare-middlewares.js'
import type { Settings } from './settings/settings.js'
import type { RunningFeatures } from './start-features.js'
import { watchMiddlewares } from './watch-middlewares.js'

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
  /** `null` if no plugin observes all requests. */
  readonly observers: RequestObservers | null
}

/** The functions that lead a request to its route. */
export interface RequestChain {
  readonly run: RunRoute
  /** The same for a request with too many query parameters. */
  readonly runExcessive: RunRoute
}

/** Builds the functions that run before every route: `security`, then the tenant, then the middlewares. */
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
  // A part that the application does not have decides nothing.
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
 * Puts `security` before `run`. Refused requests pass it too, because a browser shows a refusal only with the
 * right CORS headers.
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
  /** The compiled routes. The routes of `frameworkRoutes` are the last, in the same order. */
  readonly handlers: readonly RunRoute[]
}

/**
 * Returns a function that puts the early routes before everything else that a request passes. Without early routes it
 * returns its argument. Early routes have a router of their own: the router of all routes runs after the middlewares,
 * which may change the URL.
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
