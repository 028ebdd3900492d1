type Method = (...args: never[]) => unknown

/**
 * Whether the parameters of a method cannot be counted: a decorator that wraps handlers returns `function (...args)`,
 * whose `length` is 0 for every wrapped handler.
 */
export function hidesParameters(method: Method): boolean {
  if (method.length > 1) return false
  const source = Function.prototype.toString.call(method)
  return /^[^{]*(?:\.\.\.|=(?!>))|\barguments\b/.test(source)
}
