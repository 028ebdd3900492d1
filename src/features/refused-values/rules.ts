import type { Leaf } from './leaves.js'

/** A statement that PostgreSQL has refused. */
export interface RefusedStatement {
  /** SQLSTATE. */
  readonly code: string
  readonly message: string
  readonly detail?: string | undefined
  /** Where PostgreSQL was: `unnamed portal parameter $1`. */
  readonly where?: string | undefined
  readonly values: readonly unknown[]
}

/** What is known of a value beside itself. */
export interface Suspect extends Leaf {
  /** Whether PostgreSQL has named the parameter, and this is all of it. */
  readonly isNamed: boolean
}

/** What an SQLSTATE says of values, whatever the language of its message. */
export interface Rule {
  /** For the client: nothing of the message, which may hold values and names of the database. */
  readonly message: string
  /** Whether a value may be the one that was refused. */
  readonly suspects: (suspect: Suspect, refused: RefusedStatement) => boolean
  /** Whether no column takes what is suspected: then all of it is to blame, and not only what PostgreSQL has come to first. */
  readonly isCertain?: boolean
}

/** No text of PostgreSQL has it. */
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

/** PostgreSQL documentation, appendix A, class 22; the others say nothing of a single value. */
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

/** `character varying(10)`; characters are counted, not UTF-16 units. */
function isTooLong(suspect: Suspect, { message }: RefusedStatement): boolean {
  const limit = /\((\d+)\)/.exec(message)?.[1]
  const text = textOf(suspect)
  // Most have no pairs, and counting makes a list.
  return limit !== undefined && text.length > Number(limit) && [...text].length > Number(limit)
}

/** An integer that is read is quoted; a sum is not, and then no value is to blame, however large another one of the statement is. */
function isOutOfRange(suspect: Suspect, { message, detail = '' }: RefusedStatement): boolean {
  if (suspect.isNamed || isQuoted(message, textOf(suspect))) return true
  if (suspect.value instanceof Date || suspect.value === '') return false
  // Of `numeric(10,2)`: less than 10^8. What is rounded may reach the limit.
  const digits = /10\^(\d+)/.exec(detail)?.[1]
  return digits !== undefined && Math.abs(Number(suspect.value)) >= 10 ** Number(digits) - 0.5
}

const QUOTE = /["'«»„“”‹›「」\s]/

/** Each language of PostgreSQL has quotes of its own. */
function isQuoted(message: string, text: string): boolean {
  const at = text === '' ? -1 : message.indexOf(text)
  if (at === -1) return false
  return QUOTE.test(message[at - 1] ?? ' ') && QUOTE.test(message[at + text.length] ?? ' ')
}

/** Half of a surrogate pair, which `jsonb` refuses. */
function isTorn({ value }: Leaf): boolean {
  return typeof value === 'string' && /\p{Surrogate}/u.test(value)
}
