type Method = (...args: never[]) => unknown

const COMPUTED_NAME = /^(?:async\s*)?\*?\s*\[[^\]]*\]/

/**
 * Whether the parameters of a method cannot be counted. A decorator that wraps a handler returns `function (...args)`,
 * whose `length` is always 0.
 */
export function hidesParameters(method: Method): boolean {
  if (method.length > 1) return false
  // A compiler may write an assignment into a computed name: `[_a = key]() {}`.
  const source = Function.prototype.toString.call(method).replace(COMPUTED_NAME, '')
  return /^[^{]*(?:\.\.\.|=(?!>))|\barguments\b/.test(source)
}
