/** A piece of a segment of a path. `at` is its place in the path, from 0. */
export type PathPart =
  | {
      readonly kind: 'literal'
      readonly text: string
      readonly isEscaped: boolean
      readonly at: number
    }
  | { readonly kind: 'parameter' | 'wildcard'; readonly name: string; readonly at: number }

/** The parts of a segment, in order; none for an empty segment. */
export type PathSegment = readonly PathPart[]

/** A backslash with the character after it, `:name` or `*name`, or literal text. */
const PART = /\\([^\w]?)|([:*])(\w*)|[^\\:*]+/gu

/**
 * Reads the segments of a path. Boot checks, the document, the router and the requests of tests are all made of these
 * parts. A path with wrong syntax has parts, too: `pathProblem` finds their mistakes.
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

/** Whether a path is literal and has no escapes, as most paths and parts of paths are: it need not be parsed. */
export function isLiteral(path: string): boolean {
  return !/[:*\\]/.test(path)
}

/** The literal text of a segment without parameters; `null` for a segment with one. */
export function literalOf(segment: PathSegment): string | null {
  let literal = ''
  for (const part of segment) {
    if (part.kind !== 'literal') return null
    literal += part.text
  }
  return literal
}
