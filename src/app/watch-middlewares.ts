import type { Response } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import type { Problem } from '../errors/config-error.js'
import { isRefused } from '../http/continuations.js'
import { routerIn } from '../http/express-routers.js'
import type { BlazonRequest } from '../http/request.js'
import type { WatchMiddlewares } from '../pipeline/compose-middlewares.js'
import type { Router } from '../routing/build-router.js'
import { MOUNT_REMEDY } from './check-middlewares.js'
import { logWarnings } from './describe.js'
import type { NamedMiddleware } from './tenancy/check-routers.js'

/** The input of {@link watchMiddlewares}. */
export interface WatchConfig {
  /** The middlewares, in order, with their names. */
  readonly named: readonly NamedMiddleware[]
  readonly match: Router
  /** Every route, by index. */
  readonly routes: readonly { readonly path: string }[]
  readonly logger: Logger
  /** In production, only routers and applications are watched, and only for 404. */
  readonly isProduction: boolean
}

/**
 * Creates the function that logs one warning if a middleware responds to a request that has a route in this
 * application: a catch-all hides every route, and no other message shows that. A refusal or a redirect is no
 * catch-all, so only 404 and 2XX count. `undefined` if there is nothing to watch.
 */
export function watchMiddlewares(config: WatchConfig): WatchMiddlewares | undefined {
  const { named, match, routes, logger, isProduction } = config
  const isWatched = named.map(
    ({ middleware }) => !isProduction || routerIn(middleware) !== undefined,
  )
  if (!isWatched.includes(true)) return undefined
  const end = named.length
  // Routes that a request has reached. A middleware that stores responses may send the next ones itself.
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
 * Whether a route of Express with a path of its own has responded. A handler for all paths does not count: it may
 * be a catch-all.
 */
function isMeant({ route }: BlazonRequest): boolean {
  const path: unknown = (route as { path?: unknown } | undefined)?.path
  return typeof path === 'string' && !path.includes('*')
}

/** Whether a path stands for whatever no middleware has served, such as the files of `express.static`. */
function isFallback(path: string): boolean {
  return path.includes('*') || path.split('/').every((segment) => /^(:|$)/.test(segment))
}

function hidden({ name, middleware }: NamedMiddleware, request: string, status: number): Problem {
  const isNamed = middleware.name !== '' && routerIn(middleware) === undefined
  return {
    code: 'W_MIDDLEWARE_HIDES_ROUTE',
    subject: name,
    cause: `${isNamed ? `The middleware ${middleware.name}` : 'It'} responded to ${request} with ${status}, so the request did not reach a route of this application.`,
    remedy: `Remove its handler for all other paths, or call \`next()\` where a route follows. ${MOUNT_REMEDY}`,
  }
}
