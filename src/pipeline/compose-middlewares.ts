import type { NextFunction, RequestHandler, Response } from '../contracts/handler.js'
import { refuse } from '../errors/refuse.js'
import type { BlazonRequest } from '../http/request.js'
import { kPassOn } from '../http/symbol-fields.js'
import { isThenable, type RunRoute } from '../step/step.js'
import type { OnFailure } from './compose-error-middlewares.js'
import {
  anonymousError,
  awaitMiddleware,
  isNextError,
  type OnLateError,
} from './middleware-errors.js'

/** The functions to call after the middlewares. */
export interface MiddlewareEnds {
  readonly done: RunRoute
  readonly onError: OnFailure
  readonly onLateError: OnLateError
  /** Receives each request before the first middleware runs; `undefined` if there is no observer. */
  readonly watch?: WatchMiddlewares | undefined
}

/**
 * Watches a request.
 *
 * @param holder Returns the index of the middleware that is handling the request or has failed, or the number of
 * middlewares if the request has passed all of them.
 */
export type WatchMiddlewares = (req: BlazonRequest, res: Response, holder: () => number) => void

/**
 * Runs middlewares in order, then `done`, according to the rules of Express 5: an argument to `next` other than
 * `'route'` and `'router'`, a thrown value and a rejection are errors. Two rules are stricter. First, every thrown
 * value is an error. This includes values such as `undefined`, which `next` would not treat as an error. Second, each
 * middleware has its own `next`, which works only once. With a shared `next`, a second call could skip a middleware
 * that has not decided yet.
 */
export function composeMiddlewares(
  middlewares: readonly RequestHandler[],
  { done, onError, onLateError, watch }: MiddlewareEnds,
): RunRoute {
  const end = middlewares.length
  function leave(req: BlazonRequest, res: Response): void {
    // From now on, the route handles errors that are passed to `req.next`.
    req.next = undefined
    done(req, res)
  }
  return function runMiddlewares(req, res) {
    /**
     * The index of the middleware that is handling the request. Only this middleware can pass the request on. After a
     * failure, no middleware is handling the request, and `at` is `~index`, which is negative.
     */
    let at = 0
    function run(index: number): void {
      at = index
      const middleware = middlewares[index]
      if (middleware === undefined) return leave(req, res)
      const next = ((argument?: unknown) => {
        if (isNextError(argument)) settle(index, argument)
        else if (at === index) goOn(index + 1, argument)
      }) as NextFunction
      // An Express router reads `next` from the request.
      req.next = next
      try {
        const result: unknown = middleware(req, res, next)
        if (isThenable(result)) awaitMiddleware(result, (error) => settle(index, error))
      } catch (error) {
        settle(index, error ?? anonymousError())
      }
    }
    function settle(index: number, error: unknown): void {
      if (at === index) fail(error)
      else failLate(error)
    }
    function goOn(index: number, argument: unknown): void {
      if (argument !== 'router') return run(index)
      at = end
      leaveAll(req, res, onError)
    }
    function fail(error: unknown): void {
      const from = at
      at = ~from
      const passOver = (place: number, argument: unknown) =>
        goOn(Math.max(from + 1, place), argument)
      // Nothing follows after the route.
      onError(error, req, res, { passOver: from === end ? null : passOver, failLate })
    }
    function failLate(error: unknown): void {
      onLateError(error, { req, res, isAtRoute: at === end, fail })
    }
    // Express sets `req.params` to an object for every middleware.
    req.params ??= {}
    watch?.(req, res, () => (at < 0 ? ~at : at))
    run(0)
  }
}

/**
 * Handles a request whose middleware has called `next('router')`: passes it on to the outer application, or fails with
 * 404.
 */
function leaveAll(req: BlazonRequest, res: Response, onError: OnFailure): void {
  if (req[kPassOn] !== undefined) return req[kPassOn]()
  const error = refuse('NOT_FOUND')
  onError(error, req, res)
}
