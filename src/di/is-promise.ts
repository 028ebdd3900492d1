/**
 * Whether code that may make a value at once or later has returned a promise. A promise has `catch`, beside the `then`
 * that any object may have: to wait for such an object would call its `then`, and might never end.
 */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  const made = (value ?? {}) as Partial<Promise<T>>
  // In this order: a stand-in for the instances of tenants has no `then`, and refuses other fields where there is no tenant.
  return typeof made.then === 'function' && typeof made.catch === 'function'
}
