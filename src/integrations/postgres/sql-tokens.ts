/** A token of SQL. Whitespace and comments produce no tokens. */
export interface Token {
  /**
   * `word` is a keyword or an unquoted name, in lower case; `quoted` is a string or a quoted name, with an empty
   * `text`; `mark` is a number or any other single character.
   */
  readonly kind: 'word' | 'quoted' | 'mark'
  readonly text: string
  /** The position at which the token begins. */
  readonly start: number
  readonly end: number
}

/** The error for SQL that ends inside a quote or a comment. */
export class UnclosedError extends Error {
  /** The position of the open quote or comment. */
  readonly start: number

  constructor(start: number) {
    super('A quote or comment is not closed.')
    this.start = start
  }
}

const SPACE = /\s+/y
const LINE_COMMENT = /--[^\n\r]*/y
const COMMENT_EDGE = /\/\*|\*\//g
const WORD = /[a-z_\u0080-\u{10ffff}][\w$\u0080-\u{10ffff}]*/iuy
const DOLLAR_TAG = /\$(?:[a-z_\u0080-\u{10ffff}][\w\u0080-\u{10ffff}]*)?\$/iuy
/** A dot begins a number only before a digit; otherwise it separates names. */
const NUMBER = /\.?\d[\w.]*/y
/** A backslash is an escape character only in `E'…'`. */
const ESCAPED = /'[^'\\]*(?:(?:\\.|'')[^'\\]*)*'/sy
// A string can have megabytes, so each loop repeats a single character class, which needs no memory per iteration.
const STRING = /'[^']*(?:''[^']*)*'/y
const NAME = /"[^"]*(?:""[^"]*)*"/y

/**
 * Splits SQL into tokens like PostgreSQL's lexer (PostgreSQL documentation, 4.1), as far as is needed to distinguish
 * quoted text from other text.
 *
 * @throws UnclosedError if a quote or a comment is not closed.
 */
export function* tokensOf(sql: string): Generator<Token> {
  let position = 0
  while (position < sql.length) {
    const skipped = match(SPACE, sql, position) ?? match(LINE_COMMENT, sql, position)
    if (skipped !== undefined) position = skipped
    else if (sql.startsWith('/*', position)) position = endOfComment(sql, position)
    else {
      const token = tokenAt(sql, position)
      position = token.end
      yield token
    }
  }
}

function tokenAt(sql: string, start: number): Token {
  const quoted = endOfQuoted(sql, start)
  if (quoted !== undefined) return { kind: 'quoted', text: '', start, end: quoted }
  const word = match(WORD, sql, start)
  if (word !== undefined) {
    return { kind: 'word', text: sql.slice(start, word).toLowerCase(), start, end: word }
  }
  // The `e5` in `1e5` is not a word, and the `$` in `$1` does not begin a quote.
  const end = match(NUMBER, sql, start) ?? start + 1
  return { kind: 'mark', text: sql.slice(start, end), start, end }
}

function endOfQuoted(sql: string, start: number): number | undefined {
  const first = sql[start]
  if (first === "'") return closed(STRING, sql, start)
  if (first === '"') return closed(NAME, sql, start)
  if (/e/i.test(first as string) && sql[start + 1] === "'") return closed(ESCAPED, sql, start + 1)
  const tag = match(DOLLAR_TAG, sql, start)
  if (tag === undefined) return undefined
  const end = sql.indexOf(sql.slice(start, tag), tag)
  if (end < 0) throw new UnclosedError(start)
  return end + tag - start
}

function closed(pattern: RegExp, sql: string, start: number): number {
  const end = match(pattern, sql, start)
  if (end === undefined) throw new UnclosedError(start)
  return end
}

/** In SQL, comments can be nested. */
function endOfComment(sql: string, start: number): number {
  COMMENT_EDGE.lastIndex = start
  let depth = 0
  do {
    const edge = COMMENT_EDGE.exec(sql)
    if (edge === null) throw new UnclosedError(start)
    depth += edge[0] === '/*' ? 1 : -1
  } while (depth > 0)
  return COMMENT_EDGE.lastIndex
}

/** Returns the end of a match that begins exactly at `start`; `undefined` if there is none. */
function match(pattern: RegExp, sql: string, start: number): number | undefined {
  pattern.lastIndex = start
  return pattern.test(sql) ? pattern.lastIndex : undefined
}
