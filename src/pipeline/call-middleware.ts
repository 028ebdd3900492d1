import { isThenable } from '../step/thenable.js'

/** Calls a middleware. Every value that it throws or rejects with, of any type, is passed to `fail`. */
export function callMiddleware(run: () => unknown, fail: (error: unknown) => void): void {
  try {
    const result = run()
    if (isThenable(result)) result.then(undefined, (error) => fail(error ?? anonymous()))
  } catch (error) {
    fail(error ?? anonymous())
  }
}

function anonymous(): Error {
  return new Error('A middleware threw null or undefined')
}
