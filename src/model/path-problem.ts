import { unicodePattern } from '../errors/unicode-pattern.js'
import { literalOf, type PathPart, type PathSegment, parsePath } from './paths.js'

/** An error in a path, with its position and the remedy. */
export interface PathProblem {
  readonly cause: string
  readonly remedy: string
}

/** Returns the first syntax problem in a path; `null` if there is none. */
export function pathProblem(path: string): PathProblem | null {
  if (PLAIN.test(path)) return null
  const segments = parsePath(path)
  for (const [index, segment] of segments.entries()) {
    const problem = segmentProblem(segment, index === segments.length - 1)
    if (problem !== null) return problem
  }
  return namesProblem(segments.flat())
}

/** Returns the problem in a prefix, which precedes other paths; `null` if there is none. */
export function prefixProblem(prefix: unknown): string | null {
  if (typeof prefix !== 'string') return `${String(prefix)} is not a path`
  const problem = pathProblem(prefix)
  if (problem !== null) return problem.cause
  const hasWildcard = parsePath(prefix).some(([part]) => part?.kind === 'wildcard')
  return hasWildcard ? 'it cannot have a wildcard, because it is followed by paths' : null
}

/** Matches paths without special characters, which need no check. Most paths are of this kind. */
const PLAIN = /^[\w/-]*$/

const SYNTAX =
  'Use literal segments, `:name` and, at the end, `*name`. If part of a path is optional, write two routes.'
const ESCAPE = `A backslash escapes the next character: 'books\\\\:batchGet'.`

/** Characters that must be escaped, because they are special in other path syntaxes or not allowed in URLs. */
const MEANT = /[?+(){}[\]#%\s]/u
/** Control characters and lone surrogates, which are never allowed. */
const NEVER = /[^ -~\xa0-\ud7ff\ue000-\u{10ffff}]/u

function segmentProblem(segment: PathSegment, isLast: boolean): PathProblem | null {
  const literal = literalOf(segment)
  if (literal === '.' || literal === '..') {
    return {
      cause: `the segment '${literal}'${placeOf(segment[0])} never reaches the server, because clients remove it from URLs`,
      remedy: 'Use another name for the segment.',
    }
  }
  for (const [index, part] of segment.entries()) {
    const problem =
      part.kind === 'literal'
        ? literalProblem(part, segment[index - 1])
        : parameterProblem(part, segment, isLast)
    if (problem !== null) return problem
  }
  return null
}

type Literal = Extract<PathPart, { kind: 'literal' }>
type Parameter = Exclude<PathPart, Literal>

function literalProblem(part: Literal, before: PathPart | undefined): PathProblem | null {
  const { text, isEscaped, at } = part
  if (text === '') {
    return {
      cause: `the backslash${placeOf(part)} has no character to escape`,
      remedy: `${ESCAPE} It cannot escape letters, digits or slashes.`,
    }
  }
  const found = NEVER.exec(text) ?? (isEscaped ? null : MEANT.exec(text))
  if (found !== null) {
    const remedy =
      found[0] === '%'
        ? 'Write the decoded character instead of its percent-encoding, because the router decodes URLs.'
        : SYNTAX
    const place = placeOf({ at: at + found.index })
    return {
      cause: `'${found[0]}'${place} has no meaning in a path`,
      remedy: `${remedy} ${ESCAPE}`,
    }
  }
  if (isEscaped || before === undefined || before.kind === 'literal') return null
  const [letter] = unicodePattern(String.raw`^[\p{L}\p{M}\p{N}]`).exec(text) ?? []
  if (letter === undefined) return null
  return {
    cause: `'${letter}'${placeOf(part)} cannot be in the name of a parameter`,
    remedy: `Names consist of ASCII letters, digits and '_'. ${ESCAPE}`,
  }
}

function parameterProblem(
  part: Parameter,
  segment: PathSegment,
  isLast: boolean,
): PathProblem | null {
  const { kind, name } = part
  const place = placeOf(part)
  const fail = (cause: string, remedy = SYNTAX) => ({ cause, remedy })
  if (name === '') {
    return fail(`'${kind === 'parameter' ? ':' : '*'}'${place} has no name`, `${SYNTAX} ${ESCAPE}`)
  }
  if (name === '__proto__') {
    return fail(`'__proto__'${place} cannot be the name of a parameter`, 'Use another name.')
  }
  if (kind === 'wildcard') {
    if (segment.length > 1)
      return fail(`the wildcard '*${name}'${place} must be a separate segment`)
    return isLast ? null : fail(`the wildcard '*${name}'${place} must be at the end of a path`)
  }
  const before = segment[segment.indexOf(part) - 1]
  if (before === undefined || before.kind === 'literal') return null
  return fail(
    `no text separates '${before.name}' from '${name}'${place}, so it is unknown where '${before.name}' ends`,
    'Write a literal between them, or a slash.',
  )
}

function namesProblem(parts: readonly PathPart[]): PathProblem | null {
  const names = new Set<string>()
  for (const part of parts) {
    if (part.kind === 'literal') continue
    if (names.has(part.name)) {
      return {
        cause: `the parameter '${part.name}' appears twice, the second time${placeOf(part)}`,
        remedy: 'Rename one of them. A prefix is part of the path.',
      }
    }
    names.add(part.name)
  }
  return null
}

/** Describes a position for messages, in which characters are counted from 1. */
function placeOf(part: { readonly at: number } | undefined): string {
  return part === undefined ? '' : ` at character ${part.at + 1}`
}
