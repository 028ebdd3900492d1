import type { RouteMatch } from '../contracts/route-model.js'
import { type PathSegment, parsePath, pathShape } from '../model/paths.js'

/** The maximum length of a path parameter, in characters. */
export const MAX_PARAM_LENGTH = 1024

/**
 * A segment: its parameters, and the literals around and between them. There is one more literal than there are
 * parameters.
 */
interface PatternSegment {
  /**
   * The literals in lower case, in the form of {@link comparedPath}. Only the first and the last literal can be empty.
   */
  readonly literals: readonly string[]
  readonly names: readonly string[]
  readonly isWildcard: boolean
}

/** A route's path, which is compared with request paths segment by segment. */
export interface PathPattern {
  readonly index: number
  readonly segments: readonly PatternSegment[]
  /** If two patterns match a path, the pattern whose string sorts first has priority. */
  readonly precedence: string
}

/** The match of a URL with a route. */
export type Matched = Extract<RouteMatch, { kind: 'route' | 'malformed' }>

/** Finds the pattern that matches a URL. */
export type FindPattern = (url: string) => Matched | null

export function createPattern({ index, path }: { index: number; path: string }): PathPattern {
  const segments = parsePath(path).map(toPatternSegment)
  const precedence = `${segments.map(precedenceOf).join('')} ${pathShape(path)}`
  return { index, segments, precedence }
}

function toPatternSegment(parts: PathSegment): PatternSegment {
  const literals = ['']
  const names: string[] = []
  for (const part of parts) {
    if (part.kind === 'literal') literals.push(literals.pop() + comparedLiteral(part.text))
    else {
      names.push(part.name)
      literals.push('')
    }
  }
  return { literals: literals.map(lowered), names, isWildcard: parts[0]?.kind === 'wildcard' }
}

/**
 * Encodes `%`, `?` and `#` in a literal. A request path contains them only in encoded form, and {@link comparedPath}
 * does not decode them.
 */
function comparedLiteral(text: string): string {
  return text.replace(/[%?#]/g, encodeURIComponent)
}

/**
 * Returns a string in lower case without changing its length. `ς` becomes `σ`, because the lower case of `Σ` depends on
 * the next letter.
 */
function lowered(text: string): string {
  const lower = text.split('\u0130').map((each) => each.toLowerCase())
  return lower.join('\u0130').replaceAll('ς', 'σ')
}

/**
 * Returns the precedence of a segment. Segments are compared from left to right. A literal has priority over a mixed
 * segment, a mixed segment over a parameter, and a parameter over a wildcard. Of two mixed segments, the segment with
 * more literal characters has priority.
 */
function precedenceOf({ literals, names, isWildcard }: PatternSegment): string {
  if (names.length === 0) return '0'
  const { length } = literals.join('')
  if (length > 0) return `1${99_999 - length}`
  return isWildcard ? '3' : '2'
}

export function byPrecedence(one: PathPattern, another: PathPattern): number {
  return one.precedence < another.precedence ? -1 : 1
}

/** Whether a path can match both patterns. */
export function overlap({ segments }: PathPattern, other: PathPattern): boolean {
  for (const [index, segment] of segments.entries()) {
    const another = other.segments[index]
    if (another === undefined) return false
    if (segment.isWildcard || another.isWildcard) return true
    const areLiteral = segment.names.length === 0 && another.names.length === 0
    if (areLiteral && segment.literals[0] !== another.literals[0]) return false
  }
  return segments.length === other.segments.length
}

/** Compares the path of a URL with patterns in order, and returns the first match. */
export function matchFirst(patterns: readonly PathPattern[], url: string): Matched | null {
  const path = comparedPath(url)
  return path === null ? null : firstMatch(patterns, path)
}

/** Indexes patterns by their literal prefix, so that lookups remain fast with many patterns. */
export function indexPatterns(patterns: readonly PathPattern[]): FindPattern {
  const byBeginning = new Map<string, PathPattern[]>()
  let longest = 0
  for (const pattern of patterns.toSorted(byPrecedence)) {
    const beginning = literalBeginning(pattern)
    longest = Math.max(longest, beginning.length)
    const same = byBeginning.get(beginning.join('/'))
    if (same === undefined) byBeginning.set(beginning.join('/'), [pattern])
    else same.push(pattern)
  }
  return function find(url) {
    const path = comparedPath(url)
    if (path === null) return null
    // A longer prefix has priority, because it has a literal where the shorter prefix ends.
    for (let length = Math.min(longest, path.lower.length); length > 0; length--) {
      const same = byBeginning.get(path.lower.slice(0, length).join('/'))
      const match = same === undefined ? null : firstMatch(same, path)
      if (match !== null) return match
    }
    return null
  }
}

/**
 * Returns the literal segments before the first parameter. The first segment is the empty string before the leading
 * slash.
 */
function literalBeginning({ segments }: PathPattern): string[] {
  const end = segments.findIndex(({ names }) => names.length > 0)
  return segments.slice(0, end === -1 ? undefined : end).map(({ literals }) => literals[0] ?? '')
}

interface ComparedPath {
  readonly segments: readonly string[]
  /** The segments in lower case. */
  readonly lower: readonly string[]
}

/**
 * Reads the path of a URL, without a trailing slash. The path is decoded except for reserved characters (RFC 3986,
 * 2.2), so that `1%2C5,2` is read as `1,5` and `2` for `:lat,:lng`. Returns `null` for a URL that cannot be decoded.
 */
function comparedPath(url: string): ComparedPath | null {
  const given = url.split(/[?#]/, 1)[0] as string
  const path = given.length > 1 && given.endsWith('/') ? given.slice(0, -1) : given
  try {
    const decoded = path.includes('%') ? decodeURI(path.replaceAll('%25', '%2525')) : path
    return { segments: decoded.split('/'), lower: lowered(decoded).split('/') }
  } catch {
    return null
  }
}

function firstMatch(patterns: readonly PathPattern[], path: ComparedPath): Matched | null {
  for (const pattern of patterns) {
    const match = matchPattern(pattern, path)
    if (match !== null) return match
  }
  return null
}

function matchPattern({ index, segments }: PathPattern, path: ComparedPath): Matched | null {
  const hasRest = segments.at(-1)?.isWildcard === true
  const { length } = path.segments
  if (hasRest ? length < segments.length : length !== segments.length) return null
  // The object has no prototype, as in find-my-way, so `constructor` is a normal parameter name.
  const params = Object.create(null) as Record<string, string>
  for (const [place, { literals, names, isWildcard }] of segments.entries()) {
    const texts = isWildcard
      ? [path.segments.slice(place).join('/')]
      : divide(literals, path.segments[place] as string, path.lower[place] as string)
    if (texts === null) return null
    for (const [at, name] of names.entries()) {
      const value = decodeURIComponent(texts[at] as string)
      if (value.length > MAX_PARAM_LENGTH && !isWildcard) return null
      params[name] = value
    }
  }
  const isMalformed = Object.values(params).some((value) => value.includes('\0'))
  return isMalformed ? { kind: 'malformed' } : { kind: 'route', index, params }
}

/**
 * Splits a segment at its literals, from right to left. Each literal is found at the last occurrence that leaves a
 * value for the parameter after it. If a division exists, this method finds one, in linear time.
 */
function divide(literals: readonly string[], text: string, lower: string): string[] | null {
  const [first, ...others] = literals as [string, ...string[]]
  const last = others.pop()
  if (last === undefined) return lower === first ? [] : null
  if (!lower.startsWith(first) || !lower.endsWith(last)) return null
  const texts: string[] = []
  let end = text.length - last.length
  for (const literal of others.reverse()) {
    const start = lower.lastIndexOf(literal, end - 1 - literal.length)
    texts.unshift(text.slice(start + literal.length, end))
    end = start
  }
  if (end <= first.length) return null
  texts.unshift(text.slice(first.length, end))
  return texts
}
