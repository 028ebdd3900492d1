import type { RouteModel } from '../contracts/route-model.js'
import { isLiteral, parsePath } from './path-syntax.js'

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
 * The form in which the router compares paths: without case and parameter names. Of two routes with the same method
 * and the same shape, only one can be reached.
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
 * Writes the path of a URL, percent-encoded where a URL needs it (RFC 3986, 3.3).
 *
 * @param write Returns the text that takes the place of a parameter. It is not encoded.
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
