import { isThenable, whenSettled } from '../step/step.js'

/** An observer's function, with one or two arguments. */
type Call<First, Second> = (first: First, second: Second) => unknown

/** Calls one or more observer functions, and never throws. */
type SafeCall<First, Second> = (first: First, second?: Second) => void

/**
 * Combines the functions of several observers into one, which calls them in order. An error, including the rejection of
 * a promise, is passed to `fail`. In the usual case of one observer, no loop is needed.
 *
 * @returns `null` if there are none.
 */
export function callEach<First, Second = undefined>(
  calls: readonly Call<First, Second>[],
  fail: (error: unknown) => void,
): SafeCall<First, Second> | null {
  const [only, ...others] = calls.map((call) => callSafely(call, fail))
  if (only === undefined) return null
  if (others.length === 0) return only
  return function callAll(first, second) {
    only(first, second)
    for (const other of others) other(first, second)
  }
}

function callSafely<First, Second>(
  call: Call<First, Second>,
  fail: (error: unknown) => void,
): SafeCall<First, Second> {
  return function callObserver(first, second) {
    try {
      // Functions with two arguments receive both.
      const returned = call(first, second as Second)
      if (isThenable(returned)) whenSettled(returned, () => {}, fail)
    } catch (error) {
      fail(error)
    }
  }
}

/**
 * Combines observer functions that run at the beginning of an operation. If they return functions, these run at its
 * end. Errors are passed to `fail`. Returns `null` if there are no functions.
 */
export function beginEach<Begun, Ended>(
  // biome-ignore lint/suspicious/noConfusingVoidType: the type of the observers' functions
  calls: readonly ((begun: Begun) => ((ended: Ended) => unknown) | undefined | void)[],
  fail: (error: unknown) => void,
): ((begun: Begun) => ((ended: Ended) => void) | null) | null {
  if (calls.length === 0) return null
  return function beginAll(begun) {
    const ends = calls.flatMap((call) => {
      try {
        return call(begun) ?? []
      } catch (error) {
        fail(error)
        return []
      }
    })
    return callEach(ends, fail)
  }
}
