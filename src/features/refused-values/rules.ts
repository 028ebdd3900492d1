import type { Leaf } from './leaves.js'

/** A statement that PostgreSQL refused. */
export interface RefusedStatement {
  /** The SQLSTATE. */
  readonly code: string
  /** The message of PostgreSQL. */
  readonly message: string
  /** The detail of the message. */
  readonly detail?: string | undefined
  /** The context from PostgreSQL, for example `unnamed portal parameter $1`. */
  readonly where?: string | undefined
  /** The parameters of the statement. */
  readonly values: readonly unknown[]
}

/** A value of the statement that may be the refused one. */
export interface Suspect extends Leaf {
  /** Whether PostgreSQL named the parameter and this value is the whole parameter. */
  readonly isNamed: boolean
}

/** The rule for an SQLSTATE: which values it refuses. The rule does not depend on the language of the message. */
export interface Rule {
  /**
   * The message for the client. It quotes nothing from PostgreSQL, whose message may contain values and names
   * of the database.
   */
  readonly message: string
  /** Whether a value may be the refused one. */
  readonly suspects: (suspect: Suspect, refused: RefusedStatement) => boolean
  /**
   * Whether no column accepts such a value. Then every such value is an error, not only the first one that
   * PostgreSQL found.
   */
  readonly isCertain?: boolean
}

/** PostgreSQL does not accept this character in any text. */
const NUL = '\0'

export function hasNul({ value }: Leaf): boolean {
  return typeof value === 'string' && value.includes(NUL)
}

const withNul: Rule = {
  message: 'must not contain a NUL character',
  suspects: hasNul,
  isCertain: true,
}

const malformed: Rule = {
  message: 'is not valid',
  suspects: (suspect, { message }) =>
    suspect.isNamed || isQuoted(message, textOf(suspect)) || isTorn(suspect),
}

/**
 * The rules by SQLSTATE (PostgreSQL documentation, appendix A, class 22). The other codes of the class are not about
 * a single value.
 */
export const RULES: ReadonlyMap<string, Rule> = new Map([
  ['22021', withNul],
  ['22P05', withNul],
  ['22001', { message: 'is too long', suspects: isTooLong }],
  ['22003', { message: 'is out of range', suspects: isOutOfRange }],
  ['22008', { ...malformed, message: 'is out of range' }],
  ['22007', malformed],
  ['22P02', malformed],
])

export function textOf({ value }: Leaf): string {
  if (!(value instanceof Date)) return String(value)
  return Number.isNaN(value.getTime()) ? '' : value.toISOString()
}

/**
 * Reads the limit from a type such as `character varying(10)`. PostgreSQL counts characters, not UTF-16
 * units.
 */
function isTooLong(suspect: Suspect, { message }: RefusedStatement): boolean {
  const limit = /\((\d+)\)/.exec(message)?.[1]
  const text = textOf(suspect)
  // Compares `length` first, because counting characters creates a list and most texts have no surrogate
  // pairs.
  return limit !== undefined && text.length > Number(limit) && [...text].length > Number(limit)
}

/**
 * Whether the value is out of range. PostgreSQL quotes an integer that it cannot read. It does not quote the result
 * of a calculation, and then no value of the statement is the cause, even if one of them is large.
 */
function isOutOfRange(suspect: Suspect, { message, detail = '' }: RefusedStatement): boolean {
  if (suspect.isNamed || isQuoted(message, textOf(suspect))) return true
  if (suspect.value instanceof Date || suspect.value === '') return false
  // For `numeric(10,2)` the detail contains "less than 10^8". A value just below the limit may be rounded up to it.
  const digits = /10\^(\d+)/.exec(detail)?.[1]
  return digits !== undefined && Math.abs(Number(suspect.value)) >= 10 ** Number(digits) - 0.5
}

const QUOTE = /["'«»„“”‹›「」\s]/

/** Whether the message quotes the text. Each language of PostgreSQL has its own quotation marks. */
function isQuoted(message: string, text: string): boolean {
  const at = text === '' ? -1 : message.indexOf(text)
  if (at === -1) return false
  return QUOTE.test(message[at - 1] ?? ' ') && QUOTE.test(message[at + text.length] ?? ' ')
}

/** Whether the text contains half of a surrogate pair, which `jsonb` refuses. */
function isTorn({ value }: Leaf): boolean {
  return typeof value === 'string' && /\p{Surrogate}/u.test(value)
}
