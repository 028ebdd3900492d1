import type {
  ErrorRequestHandler,
  NextFunction,
  RequestHandler,
  Response,
} from '../contracts/handler.js'
import { NotFoundError, withoutStack } from '../errors/http-error.js'
import type { BlazonRequest } from '../http/request.js'
import { isError, isThenable, type OnError, type RunRoute } from '../http/step.js'

/** Where a request goes from the middlewares. */
export interface MiddlewareEnds {
  readonly done: RunRoute
  readonly onError: OnError
  /** For what a middleware throws after it has passed the request on: only the log can still hear of it. */
  readonly onLateError: OnError
}

/**
 * Runs middlewares in order, then `done`, with Express 5's rules: an argument to `next`, a throw and a
 * rejection are errors. It is stricter in two ways: a thrown or rejected `undefined` is an error too, not a
 * permission to go on, and each middleware has a `next` of its own that works once. With one that all
 * share, calling it twice would pass by a middleware that has not decided yet.
 */
export function composeMiddlewares(
  middlewares: readonly RequestHandler[],
  { done, onError, onLateError }: MiddlewareEnds,
): RunRoute {
  function leave(req: BlazonRequest, res: Response): void {
    // What the route passes to `req.next` is no longer ours.
    req.next = undefined
    done(req, res)
  }
  function leaveAll(req: BlazonRequest, res: Response): void {
    if (req.passOn === undefined)
      onError(
        withoutStack(() => new NotFoundError()),
        req,
        res,
      )
    else req.passOn()
  }
  return function runMiddlewares(req, res) {
    let isDone = false
    function run(index: number): void {
      const middleware = middlewares[index]
      if (middleware === undefined) return finish(() => leave(req, res))
      let isCalled = false
      const next = ((error?: unknown) => {
        if (isCalled || isDone) return
        isCalled = true
        if (isError(error)) fail(error)
        else if (error === 'router') finish(() => leaveAll(req, res))
        else run(index + 1)
      }) as NextFunction
      // Where an Express router looks for the way on.
      req.next = next
      call(
        () => middleware(req, res, next),
        (error) => (isCalled || isDone ? onLateError(error, req, res) : fail(error)),
      )
    }
    const fail = (error: unknown) => finish(() => onError(error, req, res))
    // A middleware that passes on and then throws must not make a second answer.
    function finish(last: () => void): void {
      if (isDone) return
      isDone = true
      last()
    }
    // Express gives every middleware an object here.
    req.params ??= {}
    run(0)
  }
}

/**
 * Hands an error from one error middleware to the next, even when the answer has begun: loggers want to
 * know. What the last one passes on, or throws, goes to `last`. A `next()` without an error passes on
 * the same one: the route is behind us, and there is nothing else to go on with. A request that none
 * of them has answered yet is given to `watch`.
 */
export function composeErrorMiddlewares(
  middlewares: readonly ErrorRequestHandler[],
  last: OnError,
  watch: RunRoute,
): OnError {
  if (middlewares.length === 0) return last
  return function runErrorMiddlewares(error, req, res) {
    let index = 0
    let current = error
    const next = ((passed?: unknown) => pass(isError(passed) ? passed : current)) as NextFunction
    function pass(latest: unknown): void {
      current = latest
      const middleware = middlewares[index++]
      if (middleware === undefined) return last(current, req, res)
      call(() => middleware(current, req, res, next), pass)
    }
    req.next = next
    pass(error)
    if (!res.headersSent) watch(req, res)
  }
}

function call(run: () => unknown, fail: (error: unknown) => void): void {
  try {
    const result = run()
    if (isThenable(result)) result.then(undefined, (error) => fail(error ?? anonymous()))
  } catch (error) {
    fail(error ?? anonymous())
  }
}

function anonymous(): Error {
  return new Error('A middleware threw nothing')
}
