import type { RouteModel } from '../contracts/route-model.js'

/**
 * Joins a controller's prefix and a route's path. The result begins with a slash, has one slash between segments, and
 * does not end with a slash. `''` and `'/'` both add nothing.
 */
export function joinPaths(prefix: string, path: string): string {
  const segments = `${prefix}/${path}`.split('/').filter((segment) => segment !== '')
  return `/${segments.join('/')}`
}

/** Returns the names of the parameters in a path, in order. `*rest` counts as `rest`. */
export function pathParameters(path: string): string[] {
  if (isLiteral(path)) return []
  return parsePath(path).flatMap((segment) =>
    segment.flatMap((part) => (part.kind === 'literal' ? [] : [part.name])),
  )
}

/**
 * Returns the form in which the router compares paths: in lower case and without parameter names. If two routes have
 * the same method and shape, only one of them can be reached.
 */
export function pathShape(path: string): string {
  if (isLiteral(path)) return path.toLowerCase()
  return rewrite(path, {
    literal: (text) => text.replace(/[:*\\]/g, '\\$&').toLowerCase(),
    parameter: () => ':',
    wildcard: () => '*',
  })
}

/** Whether requests to paths of this shape can reach a route. */
export function hasShape(
  { path, plainPath }: Pick<RouteModel, 'path' | 'plainPath'>,
  shape: string,
): boolean {
  return pathShape(path) === shape || (plainPath !== null && pathShape(plainPath) === shape)
}

/**
 * Writes the path of a URL, percent-encoded where necessary (RFC 3986, 3.3).
 *
 * @param write Returns the string that replaces a parameter. The string is not encoded.
 */
export function writePath(path: string, write: (name: string) => string): string {
  return rewrite(path, { literal: encodeLiteral, parameter: write, wildcard: write })
}

function encodeLiteral(text: string): string {
  return text.replace(/[^\w.~!$&'()*+,;=:@-]+/g, encodeURIComponent)
}

type Rewriting = Readonly<Record<'literal' | 'parameter' | 'wildcard', (text: string) => string>>

function rewrite(path: string, write: Rewriting): string {
  return parsePath(path)
    .map((segment) =>
      segment
        .map((part) => write[part.kind](part.kind === 'literal' ? part.text : part.name))
        .join(''),
    )
    .join('/')
}

/** A part of a path segment. `at` is the part's index in the path, starting at 0. */
export type PathPart =
  | {
      readonly kind: 'literal'
      readonly text: string
      readonly isEscaped: boolean
      readonly at: number
    }
  | { readonly kind: 'parameter' | 'wildcard'; readonly name: string; readonly at: number }

/** The parts of a segment, in order; empty for an empty segment. */
export type PathSegment = readonly PathPart[]

/**
 * Matches one part: an escaped character (a backslash and the character after it), `:name`, `*name`, or literal text.
 */
const PART = /\\([^\w]?)|([:*])(\w*)|[^\\:*]+/gu

/**
 * Reads the segments of a path. Boot checks, the document, the router and test requests all use these segments. A path
 * with invalid syntax is also divided into parts, so that `pathProblem` can find the errors in them.
 */
export function parsePath(path: string): PathSegment[] {
  let start = 0
  return path.split('/').map((segment) => {
    const parts = parseSegment(segment, start)
    start += segment.length + 1
    return parts
  })
}

function parseSegment(segment: string, start: number): PathSegment {
  return [...segment.matchAll(PART)].map(
    ({ 0: text, 1: escaped, 2: mark, 3: name, index }): PathPart => {
      const at = start + index
      if (mark !== undefined) {
        return { kind: mark === ':' ? 'parameter' : 'wildcard', name: name as string, at }
      }
      return { kind: 'literal', text: escaped ?? text, isEscaped: escaped !== undefined, at }
    },
  )
}

/** Whether a path is literal and contains no escapes, so that it need not be parsed. Most paths are of this kind. */
export function isLiteral(path: string): boolean {
  return !/[:*\\]/.test(path)
}

/** Returns the literal text of a segment without parameters; `null` for other segments. */
export function literalOf(segment: PathSegment): string | null {
  let literal = ''
  for (const part of segment) {
    if (part.kind !== 'literal') return null
    literal += part.text
  }
  return literal
}
