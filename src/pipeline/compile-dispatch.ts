import type { IncomingHttpHeaders } from 'node:http'
import type { Application } from 'express'
import type { RequestHandler, Response } from '../contracts/handler.js'
import type { RouteMatch, RouteModel } from '../contracts/route-model.js'
import { refuse } from '../errors/refuse.js'
import type { BlazonRequest } from '../http/request.js'
import { MAX_PARAMETERS } from '../http/request-head.js'
import { kPassOn } from '../http/symbol-fields.js'
import { acceptQuery } from '../model/accept-query.js'
import { Refusal } from '../step/refusal.js'
import { isThenable, type OnError, type RunRoute, type StepFactory } from '../step/step.js'
import type { SendSuccess } from './send-success.js'
import { nextOf } from './steps/handler.js'
import type { EnterConfig } from './steps/plugin.js'

/** The input of {@link compileDispatch}. */
export interface DispatchConfig {
  /** Finds the route of a request. Considers the version header if the API has one. */
  readonly match: (method: string, url: string, headers?: IncomingHttpHeaders) => RouteMatch
  readonly routes: readonly RouteModel[]
  /** The compiled routes, by `route.index`, followed by the framework's own routes, such as the documentation. */
  readonly handlers: readonly RunRoute[]
  readonly onError: OnError
  /** Counts requests without a route against rate limits; `null` without rate limits. */
  readonly ipRateLimit: StepFactory | null
  /** Sends the methods of a path in response to `OPTIONS`. */
  readonly sendMethods: SendSuccess
}

type Unmatched = Exclude<RouteMatch, { kind: 'route' }>

/**
 * Finds the route of a request and runs it. A request without a route results in one of these responses: 404; 405 with
 * `Allow` if its path has routes with other methods; 400 if its path cannot be decoded, or if it does not specify a
 * valid version; or, for `OPTIONS`, 200 with `Allow`. In an application that is mounted in an outer application, a
 * request whose path or method has no route is passed on to the outer application instead.
 */
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
    endUnmatched(found, { req, res }, config)
  }
}

/**
 * Whether to pass the request on to the outer application in which this application is mounted, as an Express router
 * does. This is the case if there is no route with this path, or with this method. This application responds to
 * `OPTIONS` for its own paths.
 */
function isTheirs({ kind }: Unmatched, method: string): boolean {
  return kind === 'none' || (kind === 'method' && method !== 'OPTIONS')
}

/** Counts a request without a route against rate limits, then sends the response. */
function endUnmatched(
  found: Unmatched,
  { req, res }: { req: BlazonRequest; res: Response },
  { ipRateLimit, onError, routes, sendMethods }: DispatchConfig,
): void {
  const respond = () => {
    const query = found.kind === 'method' ? routes[found.query ?? -1] : undefined
    if (query?.method === 'QUERY') res.setHeader('Accept-Query', acceptQuery(query))
    return respondUnmatched(found, { req, res }, sendMethods)
  }
  const settle = (value: unknown) => {
    if (value instanceof Refusal) onError(value.error, req, res)
  }
  try {
    const value = ipRateLimit === null ? respond() : ipRateLimit(respond)(req, res)
    if (isThenable(value)) value.then(settle, (error) => onError(error, req, res))
    else settle(value)
  } catch (error) {
    onError(error, req, res)
  }
}

/**
 * Responds to a request without a route. `found.allow` contains the methods of its path. They include `HEAD` if there
 * is a `GET` route, and `OPTIONS`, which needs no route.
 *
 * - `OPTIONS` results in a 200 response with the methods in `Allow` and in the body (RFC 9110, section 9.3.7). If CORS
 *   is on, the CORS step responds to `OPTIONS` earlier, except for `OPTIONS *`.
 * - Every other method results in a 405 response, which must have `Allow` (RFC 9110, section 15.5.6).
 * - `HEAD` needs no case here, because the router finds the `GET` route for it. A 405 response to `HEAD` has no body,
 *   because Node does not send it.
 */
function respondUnmatched(
  found: Unmatched,
  { req, res }: { req: BlazonRequest; res: Response },
  sendMethods: SendSuccess,
): Refusal | undefined {
  if (found.kind === 'version') return new Refusal(refuse('VERSION_UNKNOWN', found.message))
  if (found.kind !== 'method') return new Refusal(errorOfMiss(found.kind, req))
  const Allow = found.allow.join(', ')
  if (req.method !== 'OPTIONS') {
    const message = `${req.method} is not allowed here`
    const options = { headers: { Allow } }
    return new Refusal(refuse('METHOD_NOT_ALLOWED', message, options))
  }
  res.setHeader('Allow', Allow)
  sendMethods(res, { status: 200, message: 'Allowed methods', data: { allow: found.allow } })
  return undefined
}

function errorOfMiss(kind: 'none' | 'malformed', req: BlazonRequest): Error {
  if (kind === 'malformed') return refuse('MALFORMED_URL', 'The path is not valid UTF-8')
  const message = `Cannot ${req.method} ${req.path}`
  return refuse('NOT_FOUND', message)
}

/**
 * Compiles a handler that does not belong to a controller. Its errors, rejections and time limit are handled as in
 * other routes.
 */
export function compileFrameworkRoute(
  handle: RequestHandler,
  { onError, deadlines }: Pick<EnterConfig, 'onError' | 'deadlines'>,
): RunRoute {
  return function runFrameworkRoute(req, res) {
    // Every thrown value is an error, but `next` without an argument means that there is no response.
    const fail = (error: unknown) => onError(error, req, res)
    try {
      Promise.resolve(handle(req, res, nextOf(req, res, onError))).catch(fail)
    } catch (error) {
      return fail(error)
    }
    if (!res.headersSent) deadlines?.startUntilClosed(req, res)
  }
}

/**
 * The values of the setting `query parser` that select Express's own parsers, which stop at {@link MAX_PARAMETERS}. A
 * custom parser has its own limits.
 */
const EXPRESS_PARSERS: readonly unknown[] = [true, 'simple', 'extended']

/** The input of {@link limitQuery}. */
interface QueryLimit extends Pick<DispatchConfig, 'match'> {
  /** The Express application whose settings contain the query parser. */
  readonly express: Application
  /** Runs requests that are not refused. */
  readonly run: RunRoute
  /** Responds with the error, and with the CORS headers that a browser needs to expose it. */
  readonly refuse: RunRoute
}

/**
 * Handles the requests with more query parameters than Express's own parsers read. If one of these parsers is set, the
 * request is refused, because the parser would silently drop further parameters. The request is refused before any code
 * reads `req.query`. A getter could not do this, because an error that it throws in a callback would end the process.
 */
export function limitQuery({ express, match, run, refuse }: QueryLimit): RunRoute {
  return function runLimited(req, res) {
    const isRead = EXPRESS_PARSERS.includes(express.get('query parser'))
    // The outer application in which this application is mounted may use another parser for this request.
    const isTheirs =
      req[kPassOn] !== undefined && match(req.method, req.url, req.headers).kind !== 'route'
    if (isRead && !isTheirs) refuse(req, res)
    else run(req, res)
  }
}

/** Creates the function that refuses requests with too many query parameters. */
export function refuseQuery(onError: OnError): RunRoute {
  return function refuseExcessive(req, res) {
    const message = `The query string has more than ${MAX_PARAMETERS} parameters; send fewer, or send them in the body`
    onError(refuse('TOO_MANY_PARAMETERS', message), req, res)
  }
}
