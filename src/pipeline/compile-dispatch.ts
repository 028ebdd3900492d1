import type { RequestHandler } from '../contracts/handler.js'
import type { RouteMatch, RouteModel } from '../contracts/route-model.js'
import { successEnvelope } from '../errors/envelope.js'
import { codedError, MethodNotAllowedError, NotFoundError } from '../errors/http-error.js'
import type { BlazonRequest } from '../http/request.js'
import type { OnError, RunRoute } from './step.js'
import { nextOf } from './steps/invoke.js'

/** What the walk from a URL to its route needs. */
export interface DispatchConfig {
  readonly match: (method: string, url: string) => RouteMatch
  readonly routes: readonly RouteModel[]
  /** Compiled routes, by `route.index`; those of the framework itself follow. */
  readonly handlers: readonly RunRoute[]
  readonly onError: OnError
}

/** Finds the route of a request and runs it; a request without one gets its 404, 405 or `Allow`. */
export function compileDispatch(config: DispatchConfig): RunRoute {
  const { match, routes, handlers, onError } = config
  return function dispatch(req, res) {
    const found = match(req.method, req.url)
    if (found.kind === 'route') {
      req.params = found.params
      req.route = routes[found.index]
      return (handlers[found.index] as RunRoute)(req, res)
    }
    if (found.kind === 'malformed') {
      return onError(codedError('MALFORMED_URL', 'The path is not valid UTF-8'), req, res)
    }
    if (found.kind === 'none') {
      return req.passOn === undefined ? onError(notFound(req), req, res) : req.passOn()
    }
    const Allow = found.allow.join(', ')
    if (req.method !== 'OPTIONS') {
      // The application that ours is mounted in may answer this method, as it may with an Express router.
      if (req.passOn !== undefined) return req.passOn()
      const message = `${req.method} is not allowed here`
      return onError(new MethodNotAllowedError(message, { headers: { Allow } }), req, res)
    }
    res.setHeader('Allow', Allow)
    res.json(successEnvelope(200, 'Allowed methods', { allow: found.allow }))
  }
}

/** Runs a route that has no controller. Whatever it throws or rejects with is answered as any error is. */
export function compileFrameworkRoute(handle: RequestHandler, onError: OnError): RunRoute {
  return function runFrameworkRoute(req, res) {
    const next = nextOf(req, res, onError)
    try {
      Promise.resolve(handle(req, res, next)).catch(next)
    } catch (error) {
      next(error)
    }
  }
}

function notFound({ method, path }: BlazonRequest): NotFoundError {
  return new NotFoundError(`Cannot ${method} ${path}`)
}
