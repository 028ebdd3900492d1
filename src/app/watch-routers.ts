import type { RequestHandler } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import type { RouteMatch } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import type { NamedMiddleware } from '../features/tenancy/check-routers.js'
import { routerIn } from '../http/express-routers.js'
import type { BlazonRequest } from '../http/request.js'
import type { Router } from '../routing/build-router.js'
import { MOUNT_REMEDY } from './check-middlewares.js'
import { logWarnings } from './describe.js'

/** The input of {@link watchRouters}. */
export interface WatchConfig {
  /** The names of the handlers, in the same order. */
  readonly named: readonly NamedMiddleware[]
  readonly match: Router
  /** Every route, by index. */
  readonly routes: readonly { readonly path: string }[]
  readonly logger: Logger
}

/** The watched middlewares, and the router that goes with them. */
export interface WatchedRouters {
  readonly handlers: readonly RequestHandler[]
  readonly match: Router
}

/**
 * Logs one warning if a router or an application in `middlewares` sends 404 for a request that has a route in
 * this application. A catch-all handler there hides every route, and no other message shows that. Without
 * routers, the middlewares and `match` are returned unchanged.
 */
export function watchRouters(
  handlers: readonly RequestHandler[],
  { named, match, routes, logger }: WatchConfig,
): WatchedRouters {
  const isRouter = handlers.map((_, index) => routerIn(named[index]?.middleware) !== undefined)
  if (!isRouter.includes(true)) return { handlers, match }
  const matchOnce = new MatchOnce(match)
  let hasWarned = false
  const warn = (problem: Problem) => {
    if (!hasWarned) logWarnings(logger, [problem])
    hasWarned = true
  }
  const watch = (handler: RequestHandler, entry: NamedMiddleware): RequestHandler =>
    function watchedRouter(req: BlazonRequest, res, next) {
      const { method, url } = req
      const found = hasWarned ? undefined : matchOnce.look(method, url)
      if (found?.kind !== 'route') return handler(req, res, next)
      const look = () => {
        const request = `${method} ${routes[found.index]?.path}`
        if (res.statusCode === 404 && !isMeant(req)) warn(hidden(entry, request))
      }
      res.once('finish', look)
      return handler(req, res, (argument) => {
        res.off('finish', look)
        next(argument as undefined)
      })
    }
  return {
    handlers: handlers.map((handler, index) =>
      isRouter[index] ? watch(handler, named[index] as NamedMiddleware) : handler,
    ),
    match: matchOnce.take,
  }
}

/**
 * Stores the last match. In most cases the same request looks for its route next, so a request is matched only
 * once, no matter how many routers it passes. Taking a match removes it, because its `params` belong to that
 * request.
 */
class MatchOnce {
  readonly #match: Router
  #method = ''
  #url = ''
  #found: RouteMatch | undefined

  constructor(match: Router) {
    this.#match = match
  }

  look(method: string, url: string): RouteMatch {
    const kept = this.#found
    if (kept !== undefined && url === this.#url && method === this.#method) return kept
    const found = this.#match(method, url)
    this.#method = method
    this.#url = url
    this.#found = found
    return found
  }

  readonly take: Router = (method, url) => {
    const found = this.#found
    this.#found = undefined
    const isKept = found !== undefined && url === this.#url && method === this.#method
    return isKept ? found : this.#match(method, url)
  }
}

/**
 * Whether a route with a path of its own has sent the 404. A handler for all paths does not count: it may be a
 * catch-all.
 */
function isMeant({ route }: BlazonRequest): boolean {
  const path: unknown = (route as { path?: unknown } | undefined)?.path
  return typeof path === 'string' && !path.includes('*')
}

function hidden({ name }: NamedMiddleware, request: string): Problem {
  return {
    code: 'W_MIDDLEWARE_HIDES_ROUTE',
    subject: name,
    cause: `It responded to ${request} with 404, so the request did not reach a route of this application.`,
    remedy: `Remove its handler for all other paths. ${MOUNT_REMEDY}`,
  }
}
