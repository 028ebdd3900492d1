/** A piece of SQL that is no space and no comment. */
export interface Token {
  /** `word` is a keyword or a name that is not quoted, in small letters; `mark` is any other single character. */
  readonly kind: 'word' | 'quoted' | 'mark'
  readonly text: string
  /** Where it begins in the text. */
  readonly start: number
  readonly end: number
}

/** SQL ends where a quote or a comment is still open. */
export class UnclosedError extends Error {
  /** Where the open one begins. */
  readonly start: number

  constructor(start: number) {
    super('It is opened and never closed.')
    this.start = start
  }
}

const SPACE = /\s+/y
const LINE_COMMENT = /--[^\n\r]*/y
const COMMENT_EDGE = /\/\*|\*\//g
const WORD = /[a-z_\u0080-\u{10ffff}][\w$\u0080-\u{10ffff}]*/iuy
const DOLLAR_TAG = /\$(?:[a-z_\u0080-\u{10ffff}][\w\u0080-\u{10ffff}]*)?\$/iuy
/** A point begins one only before a digit: else it stands between names. */
const NUMBER = /\.?\d[\w.]*/y
/** In `E'…'` alone a backslash escapes. */
const ESCAPED = /'[^'\\]*(?:(?:\\.|'')[^'\\]*)*'/sy
// Loops over one class of characters need no memory for each, and a string may be megabytes long.
const STRING = /'[^']*(?:''[^']*)*'/y
const NAME = /"[^"]*(?:""[^"]*)*"/y

/**
 * Reads SQL as PostgreSQL's own lexer takes it apart (PostgreSQL documentation, 4.1): enough to know what is quoted and what is not.
 *
 * @throws UnclosedError
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
  // `1e5` is no word behind a digit, and `$1` no quote.
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

/** Comments of SQL stand in one another. */
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

/** Where a pattern that stands at a place ends. */
function match(pattern: RegExp, sql: string, start: number): number | undefined {
  pattern.lastIndex = start
  return pattern.test(sql) ? pattern.lastIndex : undefined
}
