import type { RequestHandler } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import type { Problem } from '../errors/config-error.js'
import type { NamedMiddleware } from '../features/tenancy/check-routers.js'
import { routerIn } from '../http/express-routers.js'
import type { BlazonRequest } from '../http/request.js'
import type { Router } from '../routing/build-router.js'
import { MOUNT_REMEDY } from './check-middlewares.js'
import { logWarnings } from './describe.js'

/** What is looked at, and who is told. */
export interface WatchConfig {
  /** As many as there are handlers, in their order. */
  readonly named: readonly NamedMiddleware[]
  readonly match: Router
  /** Every route, by index. */
  readonly routes: readonly { readonly path: string }[]
  readonly logger: Logger
}

/**
 * Warns, once, where a router or an application in `middlewares` has answered a request with 404 that has a route of ours: a catch-all
 * there hides every route, and nothing else would say so. Other middlewares stay as they are.
 */
export function watchRouters(
  handlers: readonly RequestHandler[],
  { named, match, routes, logger }: WatchConfig,
): readonly RequestHandler[] {
  let hasWarned = false
  const warn = (problem: Problem) => {
    if (!hasWarned) logWarnings(logger, [problem])
    hasWarned = true
  }
  return handlers.map((handler, index) => {
    const entry = named[index]
    if (entry === undefined || routerIn(entry.middleware) === undefined) return handler
    return function watchedRouter(req: BlazonRequest, res, next) {
      const { method, url } = req
      const found = hasWarned ? undefined : match(method, url)
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
  })
}

/** Whether a route of the router's own has answered, and not one for all paths: it has found nothing, and may say so. */
function isMeant({ route }: BlazonRequest): boolean {
  const path: unknown = (route as { path?: unknown } | undefined)?.path
  return typeof path === 'string' && !path.includes('*')
}

function hidden({ name }: NamedMiddleware, request: string): Problem {
  return {
    code: 'W_MIDDLEWARE_HIDES_ROUTE',
    subject: name,
    cause: `It answered ${request} with 404, so the request did not reach a route of this application.`,
    remedy: `Remove its handler for all other paths. ${MOUNT_REMEDY}`,
  }
}
