import type { ErrorRequestHandler, NextFunction, RequestHandler } from '../contracts/handler.js'
import { NotFoundError } from '../errors/http-error.js'
import { isThenable, type OnError, type RunRoute } from './step.js'

/**
 * Runs middlewares in order, then `done`, with Express 5's rules: an argument to `next`, a throw and a
 * rejection are errors. It is stricter in two ways: a thrown or rejected `undefined` is an error too, not a
 * permission to go on, and each middleware has a `next` of its own that works once. With one that all
 * share, calling it twice would pass by a middleware that has not decided yet.
 */
export function composeMiddlewares(
  middlewares: readonly RequestHandler[],
  done: RunRoute,
  onError: OnError,
): RunRoute {
  return function runMiddlewares(req, res) {
    let isDone = false
    function run(index: number): void {
      const middleware = middlewares[index]
      if (middleware === undefined) return finish(() => done(req, res))
      let isCalled = false
      const next = ((error?: unknown) => {
        if (isCalled || isDone) return
        isCalled = true
        if (isError(error)) fail(error)
        else if (error === 'router') fail(new NotFoundError())
        else run(index + 1)
      }) as NextFunction
      // Where an Express router looks for the way on.
      req.next = next
      call(() => middleware(req, res, next), fail)
    }
    const fail = (error: unknown) => finish(() => onError(error, req, res))
    // A middleware that passes on and then throws must not make a second answer.
    function finish(last: () => void): void {
      if (isDone) return
      isDone = true
      last()
    }
    run(0)
  }
}

/**
 * Hands an error from one error middleware to the next; what the last one passes on, or throws, goes to
 * `last`. A request that none of them has answered yet is given to `watch`.
 */
export function composeErrorMiddlewares(
  middlewares: readonly ErrorRequestHandler[],
  last: OnError,
  watch: RunRoute,
): OnError {
  return function runErrorMiddlewares(error, req, res) {
    let index = 0
    const next = ((current: unknown = error) => {
      const middleware = res.headersSent ? undefined : middlewares[index++]
      if (middleware === undefined) return last(current, req, res)
      call(() => middleware(current, req, res, next), next)
    }) as NextFunction
    next(error)
    if (!res.headersSent) watch(req, res)
  }
}

function isError(error: unknown): boolean {
  return error !== undefined && error !== null && error !== 'route' && error !== 'router'
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
