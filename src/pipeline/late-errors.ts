import type { Response } from '../contracts/handler.js'
import { toMiddlewareFailure } from '../errors/failure.js'
import { errorTakerOf } from '../http/continuations.js'
import type { BlazonRequest } from '../http/request.js'
import type { RequestScopes } from '../http/request-scopes.js'
import { keepFirstResponse } from '../http/send/keep-first-response.js'
import { kHasFailed } from '../http/symbol-fields.js'
import { endEarly } from './end-early.js'
import type { LogFailure } from './log-failure.js'
import { inScopeOf } from './scoped-errors.js'

/** The state of a request whose middleware failed after it had called `next`. */
export interface LateExchange {
  readonly req: BlazonRequest
  readonly res: Response
  readonly isAtRoute: boolean
  /** Fails the request, whichever middleware or handler has it. */
  readonly fail: (error: unknown) => void
}

/** Handles an error that a middleware passes on, throws or rejects with after it has called `next`. */
export type OnLateError = (error: unknown, exchange: LateExchange) => void

/** The input of {@link createOnLateError}. */
interface LateEnds {
  /** `null` if requests have no scopes. */
  readonly scopes: RequestScopes | null
  /** The application of the middlewares. */
  readonly app: object
}

const LATE = 'A middleware failed after the response was sent, or after the request had failed'

/**
 * Creates the function that handles late errors. As in Express, a late error becomes the response if none has
 * been sent. It is always logged.
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
