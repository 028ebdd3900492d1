type Method = (...args: never[]) => unknown

const COMPUTED_NAME = /^(?:async\s*)?\*?\s*\[/

/** Matches a string, or a bracket outside strings. */
const STRING_OR_BRACKET = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|[[\]]/gs

/**
 * Whether the parameters of a method cannot be counted. A decorator that wraps a handler returns `function (...args)`,
 * whose `length` is always 0.
 */
export function hidesParameters(method: Method): boolean {
  if (method.length > 1) return false
  const source = withoutComputedName(Function.prototype.toString.call(method))
  return /^[^{]*(?:\.\.\.|=(?!>))|\barguments\b/.test(source)
}

/**
 * Removes a computed name from the source of a method. A compiler may write assignments and the decorators of several
 * methods into a computed name: `[_a_dec = [Get('a')], _a = key]() {}`.
 */
function withoutComputedName(source: string): string {
  if (!COMPUTED_NAME.test(source)) return source
  let depth = 0
  for (const { 0: token, index } of source.matchAll(STRING_OR_BRACKET)) {
    if (token === '[') depth++
    else if (token === ']' && --depth === 0) return source.slice(index + 1)
  }
  return source
}
