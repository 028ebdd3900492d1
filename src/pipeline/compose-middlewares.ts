import type { NextFunction, RequestHandler, Response } from '../contracts/handler.js'
import { refuse } from '../errors/refuse.js'
import { kPassOn } from '../http/own-fields.js'
import type { BlazonRequest } from '../http/request.js'
import { isNextError } from '../step/next-error.js'
import type { RunRoute } from '../step/step.js'
import { callMiddleware } from './call-middleware.js'
import type { OnFailure } from './compose-error-middlewares.js'
import type { OnLateError } from './late-errors.js'

/** Where a request goes from the middlewares. */
export interface MiddlewareEnds {
  readonly done: RunRoute
  readonly onError: OnFailure
  readonly onLateError: OnLateError
}

/** Where a request is that no middleware has any more. */
const FAILED = -1

/**
 * Runs middlewares in order, then `done`, with Express 5's rules: an argument to `next`, a throw and a
 * rejection are errors. It is stricter in two ways: a thrown or rejected `undefined` is an error too, not a
 * permission to go on, and each middleware has a `next` of its own that leads on once. With one that all
 * share, calling it twice would pass by a middleware that has not decided yet.
 */
export function composeMiddlewares(
  middlewares: readonly RequestHandler[],
  { done, onError, onLateError }: MiddlewareEnds,
): RunRoute {
  const end = middlewares.length
  function leave(req: BlazonRequest, res: Response): void {
    // What the route passes to `req.next` is no longer ours.
    req.next = undefined
    done(req, res)
  }
  function leaveAll(req: BlazonRequest, res: Response): void {
    if (req[kPassOn] !== undefined) return req[kPassOn]()
    const error = refuse('NOT_FOUND')
    onError(error, req, res)
  }
  return function runMiddlewares(req, res) {
    /** Which middleware has the request; only that one may pass it on. */
    let at = 0
    function run(index: number): void {
      at = index
      const middleware = middlewares[index]
      if (middleware === undefined) return leave(req, res)
      const next = ((argument?: unknown) => {
        if (isNextError(argument)) settle(argument)
        else if (at === index) goOn(index + 1, argument)
      }) as NextFunction
      const settle = (error: unknown) => (at === index ? fail(error) : failLate(error))
      // Where an Express router looks for the way on.
      req.next = next
      callMiddleware(() => middleware(req, res, next), settle)
    }
    function goOn(index: number, argument: unknown): void {
      if (argument !== 'router') return run(index)
      at = end
      leaveAll(req, res)
    }
    function fail(error: unknown): void {
      const from = at
      at = FAILED
      const passOver = (place: number, argument: unknown) =>
        goOn(Math.max(from + 1, place), argument)
      // Behind the route there is nothing.
      onError(error, req, res, { passOver: from === end ? null : passOver, failLate })
    }
    function failLate(error: unknown): void {
      onLateError(error, { req, res, isAtRoute: at === end, fail })
    }
    // Express gives every middleware an object here.
    req.params ??= {}
    run(0)
  }
}
