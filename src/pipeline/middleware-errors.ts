import type { Response } from '../contracts/handler.js'
import { toMiddlewareFailure } from '../errors/failure.js'
import { errorTakerOf } from '../http/continuations.js'
import type { BlazonRequest } from '../http/request.js'
import type { RequestScopes } from '../http/request-scopes.js'
import { inScopeOf } from '../http/request-scopes.js'
import { keepFirstResponse } from '../http/send/end-early.js'
import { kHasFailed, kUseError } from '../http/symbol-fields.js'
import { isThenable } from '../step/step.js'
import { endEarly } from './deadlines.js'
import type { LogFailure } from './log-failure.js'

/** Calls a middleware. If it throws or rejects, passes the value to `fail`, whatever its type. */
export function callMiddleware(run: () => unknown, fail: (error: unknown) => void): void {
  try {
    const result = run()
    if (isThenable(result)) awaitMiddleware(result, fail)
  } catch (error) {
    fail(error ?? anonymousError())
  }
}

/** Passes the rejection reason of a middleware's result to `fail`. */
export function awaitMiddleware(
  result: PromiseLike<unknown>,
  fail: (error: unknown) => void,
): void {
  result.then(undefined, (error) => fail(error ?? anonymousError()))
}

/** Creates the error for a middleware that throws `null` or `undefined`. */
export function anonymousError(): Error {
  return new Error('A middleware threw null or undefined')
}

/**
 * Records the error of a `@Use` middleware. The error keeps its status, like the errors of `middlewares`. A handler's
 * error does not keep its status, because the status may come from another server.
 */
export function noteUseError(error: unknown, req: BlazonRequest): void {
  req[kUseError] = { error }
}

/** Whether this error comes from a `@Use` middleware of this request. */
export function isUseError(error: unknown, req: BlazonRequest): boolean {
  const noted = req[kUseError]
  return noted !== undefined && noted.error === error
}

/**
 * Whether the argument of `next` is an error. As in Express, falsy values and the strings `'route'` and `'router'` are
 * not errors.
 */
export function isNextError(argument: unknown): boolean {
  return Boolean(argument) && argument !== 'route' && argument !== 'router'
}

/** The state of a request whose middleware failed after calling `next`. */
export interface LateExchange {
  readonly req: BlazonRequest
  readonly res: Response
  readonly isAtRoute: boolean
  /** Fails the request at the middleware or handler that is currently handling it. */
  readonly fail: (error: unknown) => void
}

/** Handles an error that occurs in a middleware after it has called `next`. */
export type OnLateError = (error: unknown, exchange: LateExchange) => void

/** The input of {@link createOnLateError}. */
interface LateEnds {
  /** The request scopes; `null` if requests have no scopes. */
  readonly scopes: RequestScopes | null
  /** The application that the middlewares belong to. */
  readonly app: object
}

const LATE = 'A middleware failed after the response was sent, or after the request had failed'

/**
 * Creates the function that handles late errors. As in Express, if no response has been sent, a late error determines
 * the response. Late errors are logged. If the application has returned the request to its host, the host receives the
 * error instead.
 */
export function createOnLateError(log: LogFailure, { scopes, app }: LateEnds): OnLateError {
  return function onLateError(error, { req, res, isAtRoute, fail }) {
    const { status } = toMiddlewareFailure(error, res.statusCode)
    if (req[kHasFailed] || res.headersSent) return log(error, req, { status, message: LATE })
    const takeError = errorTakerOf(req, app)
    if (takeError !== undefined) return takeError(error)
    log(error, req, { status })
    inScopeOf(scopes, req, () => {
      if (isAtRoute) return endEarly(error, req, fail)
      keepFirstResponse(res)
      fail(error)
    })
  }
}
