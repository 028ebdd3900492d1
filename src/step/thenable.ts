/**
 * Whether a value must be awaited: a promise, also of another realm, or any object with a method `then`, such as a query
 * builder. A step that waits only for such values costs no promise when the later steps wait for nothing.
 *
 * @example
 * const counted: StepFactory = (next) => (req, res) => {
 *   const value = next(req, res)
 *   return isThenable(value) ? value.then(count) : count(value)
 * }
 */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  )
}

/**
 * Calls `go` or `fail` exactly once, when a thenable settles. The `then` of a thenable that is not a promise
 * may throw or call back twice, and a promise may have its own `then`. In all these cases each callback runs
 * at most once. Throws only if reading the thenable throws.
 */
export function whenSettled<T, U>(
  value: PromiseLike<T>,
  go: (settled: T) => U,
  fail?: (error: unknown) => U,
): Promise<U> {
  return Promise.prototype.then.call(Promise.resolve(value), go, fail) as Promise<U>
}

/**
 * Ignores the rejection of a promise that code returned where no promise is allowed. An unhandled rejection
 * would end the process.
 */
export function ignoreRejection(value: unknown): void {
  if (isThenable(value)) Promise.resolve(value).catch(() => {})
}
