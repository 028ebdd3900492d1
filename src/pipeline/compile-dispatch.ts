import type { RequestHandler, Response } from '../contracts/handler.js'
import type { RouteMatch, RouteModel } from '../contracts/route-model.js'
import { successEnvelope } from '../errors/envelope.js'
import {
  MethodNotAllowedError,
  NotFoundError,
  refused,
  withoutStack,
} from '../errors/http-error.js'
import { kPassOn } from '../http/own-fields.js'
import type { BlazonRequest } from '../http/request.js'
import { Refusal } from '../step/refusal.js'
import type { OnError, RunRoute, Stage } from '../step/step.js'
import { isThenable } from '../step/thenable.js'
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
    if (req[kPassOn] !== undefined && isTheirs(found, req.method)) return req[kPassOn]()
    explain(found, { req, res }, config)
  }
}

/** The application that ours is mounted in may answer the path, or this method of it, as it may with an Express router. */
function isTheirs({ kind }: Unmatched, method: string): boolean {
  return kind === 'none' || (kind === 'method' && method !== 'OPTIONS')
}

/** Counts what asks for nothing that is here, and says so. */
function explain(
  found: Unmatched,
  { req, res }: { req: BlazonRequest; res: Response },
  { admission, onError }: DispatchConfig,
): void {
  const answer = () => answerUnmatched(found, req, res)
  const settle = (value: unknown) => {
    if (value instanceof Refusal) onError(value.error, req, res)
  }
  try {
    const value = admission === null ? answer() : admission(answer)(req, res)
    if (isThenable(value)) value.then(settle, (error) => onError(error, req, res))
    else settle(value)
  } catch (error) {
    onError(error, req, res)
  }
}

function answerUnmatched(found: Unmatched, req: BlazonRequest, res: Response): Refusal | undefined {
  if (found.kind !== 'method') return new Refusal(errorOfMiss(found.kind, req))
  const Allow = found.allow.join(', ')
  if (req.method !== 'OPTIONS') {
    const message = `${req.method} is not allowed here`
    const options = { headers: { Allow } }
    return new Refusal(withoutStack(() => new MethodNotAllowedError(message, options)))
  }
  res.setHeader('Allow', Allow)
  res.json(successEnvelope(200, 'Allowed methods', { allow: found.allow }))
  return undefined
}

function errorOfMiss(kind: 'none' | 'malformed', req: BlazonRequest): Error {
  if (kind === 'malformed') return refused('MALFORMED_URL', 'The path is not valid UTF-8')
  const message = `Cannot ${req.method} ${req.path}`
  return withoutStack(() => new NotFoundError(message))
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
