import { isThenable } from '../step/thenable.js'

/** Calls a middleware. Every value that it throws or rejects with, of any type, is passed to `fail`. */
export function callMiddleware(run: () => unknown, fail: (error: unknown) => void): void {
  try {
    const result = run()
    if (isThenable(result)) awaitMiddleware(result, fail)
  } catch (error) {
    fail(error ?? anonymousError())
  }
}

/** Passes the rejection of a middleware's result to `fail`. */
export function awaitMiddleware(
  result: PromiseLike<unknown>,
  fail: (error: unknown) => void,
): void {
  result.then(undefined, (error) => fail(error ?? anonymousError()))
}

/** The error for a middleware that throws nothing. */
export function anonymousError(): Error {
  return new Error('A middleware threw null or undefined')
}
