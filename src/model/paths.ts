import type { RouteModel } from '../contracts/route-model.js'

/**
 * Joins the prefix of a controller with the path of a route: one slash between segments, one at the start, none at
 * the end. `''` and `'/'` both add nothing.
 */
export function joinPaths(prefix: string, path: string): string {
  const segments = `${prefix}/${path}`.split('/').filter((segment) => segment !== '')
  return `/${segments.join('/')}`
}

/** Names of the parameters in a path, in order; `*rest` counts as `rest`. */
export function pathParameters(path: string): string[] {
  if (isLiteral(path)) return []
  return parsePath(path).flatMap((segment) =>
    segment.flatMap((part) => (part.kind === 'literal' ? [] : [part.name])),
  )
}

/**
 * The form in which the router compares paths: in lower case and without parameter names. If two routes have the same
 * method and shape, only one of them can be reached.
 */
export function pathShape(path: string): string {
  if (isLiteral(path)) return path.toLowerCase()
  return rewrite(path, {
    literal: (text) => text.replace(/[:*\\]/g, '\\$&').toLowerCase(),
    parameter: () => ':',
    wildcard: () => '*',
  })
}

/** Whether requests reach a route by a path of this shape. */
export function hasShape(
  { path, plainPath }: Pick<RouteModel, 'path' | 'plainPath'>,
  shape: string,
): boolean {
  return pathShape(path) === shape || (plainPath !== null && pathShape(plainPath) === shape)
}

/**
 * Writes the path of a URL, percent-encoded where necessary (RFC 3986, 3.3).
 *
 * @param write Returns the text that replaces a parameter. It is not encoded.
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

/** A part of a path segment. `at` is its index in the path, starting at 0. */
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

/** A backslash with the character after it, `:name` or `*name`, or literal text. */
const PART = /\\([^\w]?)|([:*])(\w*)|[^\\:*]+/gu

/**
 * Reads the segments of a path. Boot checks, the document, the router and test requests all use these parts. A path
 * with invalid syntax also has parts, in which `pathProblem` finds the errors.
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

/** Whether a path is literal and has no escapes, like most paths, so that it does not need to be parsed. */
export function isLiteral(path: string): boolean {
  return !/[:*\\]/.test(path)
}

/** The literal text of a segment without parameters; `null` for other segments. */
export function literalOf(segment: PathSegment): string | null {
  let literal = ''
  for (const part of segment) {
    if (part.kind !== 'literal') return null
    literal += part.text
  }
  return literal
}
