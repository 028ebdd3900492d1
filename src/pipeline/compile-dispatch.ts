import type { RequestHandler, Response } from '../contracts/handler.js'
import type { RouteMatch, RouteModel } from '../contracts/route-model.js'
import { successEnvelope } from '../errors/envelope.js'
import { codedError, MethodNotAllowedError, NotFoundError } from '../errors/http-error.js'
import type { BlazonRequest } from '../http/request.js'
import { isThenable, type OnError, type RunRoute, type Stage } from '../http/step.js'
import { nextOf } from './steps/invoke.js'

/** What the walk from a URL to its route needs. */
export interface DispatchConfig {
  readonly match: (method: string, url: string) => RouteMatch
  readonly routes: readonly RouteModel[]
  /** Compiled routes, by `route.index`; those of the framework itself follow. */
  readonly handlers: readonly RunRoute[]
  readonly onError: OnError
  /** Stands before the answers of those that are no route of ours; `null` without. */
  readonly admission: Stage | null
}

type Unmatched = Exclude<RouteMatch, { kind: 'route' }>

/** Finds the route of a request and runs it; a request without one gets its 404, 405 or `Allow`. */
export function compileDispatch(config: DispatchConfig): RunRoute {
  const { match, routes, handlers } = config
  return function dispatch(req, res) {
    const found = match(req.method, req.url)
    if (found.kind === 'route') {
      req.params = found.params
      req.route = routes[found.index]
      return (handlers[found.index] as RunRoute)(req, res)
    }
    if (req.passOn !== undefined && isTheirs(found, req.method)) return req.passOn()
    refuse(found, { req, res }, config)
  }
}

/** The application that ours is mounted in may answer the path, or this method of it, as it may with an Express router. */
function isTheirs({ kind }: Unmatched, method: string): boolean {
  return kind === 'none' || (kind === 'method' && method !== 'OPTIONS')
}

/** Counts what asks for nothing that is here, and says so. */
function refuse(
  found: Unmatched,
  { req, res }: { req: BlazonRequest; res: Response },
  { admission, onError }: DispatchConfig,
): void {
  const answer = () => answerUnmatched(found, req, res)
  try {
    const value = admission === null ? answer() : admission(answer)(req, res)
    if (isThenable(value)) value.then(undefined, (error) => onError(error, req, res))
  } catch (error) {
    onError(error, req, res)
  }
}

function answerUnmatched(found: Unmatched, req: BlazonRequest, res: Response): void {
  if (found.kind === 'malformed') throw codedError('MALFORMED_URL', 'The path is not valid UTF-8')
  if (found.kind === 'none') throw new NotFoundError(`Cannot ${req.method} ${req.path}`)
  const Allow = found.allow.join(', ')
  if (req.method !== 'OPTIONS') {
    throw new MethodNotAllowedError(`${req.method} is not allowed here`, { headers: { Allow } })
  }
  res.setHeader('Allow', Allow)
  res.json(successEnvelope(200, 'Allowed methods', { allow: found.allow }))
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
