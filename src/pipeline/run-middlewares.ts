import type { ErrorRequestHandler, NextFunction, RequestHandler } from '../contracts/handler.js'
import { NotFoundError } from '../errors/http-error.js'
import { isThenable, type OnError, type RunRoute } from './step.js'

/**
 * Runs middlewares in order, then `done`, with Express 5's rules: an argument to `next`, a throw and a
 * rejection are errors. One is stricter: a thrown or rejected `undefined` is an error too, not a
 * permission to go on.
 */
export function composeMiddlewares(
  middlewares: readonly RequestHandler[],
  done: RunRoute,
  onError: OnError,
): RunRoute {
  return function runMiddlewares(req, res) {
    let index = 0
    let isDone = false
    const next = ((error?: unknown) => {
      if (isDone) return
      if (isError(error)) return finish(() => onError(error, req, res))
      if (error === 'router') return finish(() => onError(new NotFoundError(), req, res))
      const middleware = middlewares[index++]
      if (middleware === undefined) return finish(() => done(req, res))
      call(() => middleware(req, res, next), fail)
    }) as NextFunction
    const fail = (error: unknown) => finish(() => onError(error, req, res))
    // A middleware that calls `next` twice, or calls it and then throws, must not make a second answer.
    function finish(last: () => void): void {
      if (isDone) return
      isDone = true
      last()
    }
    // Where an Express router looks for the way on.
    req.next = next
    next()
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
