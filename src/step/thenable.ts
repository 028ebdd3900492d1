/** Whether a value must be waited for. Promises of other realms and query builders count. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  )
}

/**
 * Calls `go` or `fail` exactly once, when a thenable settles. The `then` of a thenable that is no promise may throw
 * or call back twice, and a promise may carry a `then` of its own: neither is called here more than once. Throws
 * only where the thenable cannot be read at all.
 */
export function follow<T, U>(
  value: PromiseLike<T>,
  go: (settled: T) => U,
  fail?: (error: unknown) => U,
): Promise<U> {
  return Promise.prototype.then.call(Promise.resolve(value), go, fail) as Promise<U>
}

/**
 * Ignores the rejection of a value that should have been no promise: an unhandled rejection would end the process.
 */
export function disown(value: unknown): void {
  if (isThenable(value)) Promise.resolve(value).catch(() => {})
}
