import { TextSearch } from '../../schema/text-search.js'
import type { Leaf } from './leaves.js'

/** A statement that PostgreSQL refused. */
export interface RefusedStatement {
  /** The SQLSTATE code. */
  readonly code: string
  /** The message from PostgreSQL. */
  readonly message: string
  /** The error detail from PostgreSQL. */
  readonly detail?: string | undefined
  /** The context from PostgreSQL, for example `unnamed portal parameter $1`. */
  readonly where?: string | undefined
  /** The parameters of the statement. */
  readonly values: readonly unknown[]
}

/** A statement value that may be the rejected value. */
export interface Suspect extends Leaf {
  /** Whether PostgreSQL named the parameter and this value is the whole parameter. */
  readonly isNamed: boolean
}

/** The rule that finds the rejected values for an SQLSTATE code. It does not depend on the language of the message. */
export interface Rule {
  /**
   * The message for the client. It does not quote the message from PostgreSQL, which may contain values and names from
   * the database.
   */
  readonly message: string
  /** Returns the values that may be the rejected value. */
  readonly select: (suspects: readonly Suspect[], refused: RefusedStatement) => Suspect[]
  /**
   * Whether every column refuses such a value. If so, every such value is reported, not only the first value that
   * PostgreSQL found.
   */
  readonly isCertain?: boolean
}

/** The character that PostgreSQL does not accept in text values. */
const NUL = '\0'

export function hasNul({ value }: Leaf): boolean {
  return typeof value === 'string' && value.includes(NUL)
}

const withNul: Rule = {
  message: 'must not contain a NUL character',
  select: (suspects) => suspects.filter(hasNul),
  isCertain: true,
}

const malformed: Rule = {
  message: 'is not valid',
  select: (suspects, { message }) => {
    const quoted = quotedIn(message, suspects)
    return suspects.filter((each) => each.isNamed || quoted.has(textOf(each)) || isTorn(each))
  },
}

/**
 * The rules by SQLSTATE code (PostgreSQL documentation, appendix A, class 22). The other codes in the class do not
 * concern a single value.
 */
export const RULES: ReadonlyMap<string, Rule> = new Map([
  ['22021', withNul],
  ['22P05', withNul],
  ['22001', { message: 'is too long', select: tooLong }],
  ['22003', { message: 'is out of range', select: outOfRange }],
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
function tooLong(suspects: readonly Suspect[], { message }: RefusedStatement): Suspect[] {
  // Without a limit in the message, this is NaN, and no length is larger than NaN.
  const limit = Number(/\((\d+)\)/.exec(message)?.[1])
  // Compares `length` first, because counting characters creates a list.
  const isTooLong = (text: string) => text.length > limit && [...text].length > limit
  return suspects.filter((suspect) => isTooLong(textOf(suspect)))
}

/**
 * Returns the values that are out of range. PostgreSQL quotes an integer that it cannot read, but not the result of a
 * calculation. For a calculation, no statement value is the cause, even if one of them is large.
 */
function outOfRange(
  suspects: readonly Suspect[],
  { message, detail = '' }: RefusedStatement,
): Suspect[] {
  const quoted = quotedIn(message, suspects)
  // For `numeric(10,2)` the detail contains "less than 10^8". A value just below the limit may be rounded up to it.
  const digits = Number(/10\^(\d+)/.exec(detail)?.[1])
  const isTooLarge = ({ value }: Suspect) =>
    !(value instanceof Date) && value !== '' && Math.abs(Number(value)) >= 10 ** digits - 0.5
  return suspects.filter((each) => each.isNamed || quoted.has(textOf(each)) || isTooLarge(each))
}

/** PostgreSQL uses different quotation marks for each language. Some of them include a space. */
const QUOTE = /["'«»„“”‹›「」\s]/g
const EMPTY = /["'«»„“”‹›「」]{2}/

/**
 * Returns the suspected strings that the message quotes. A short string may also be part of a word in the message, so
 * each string is searched for together with quotation marks.
 */
function quotedIn(message: string, suspects: readonly Suspect[]): Set<string> {
  const texts = new Set(suspects.map(textOf))
  const found = new TextSearch([...texts].map(inQuotes)).first(inQuotes(message))
  const isQuoted = (text: string) => (text === '' ? EMPTY.test(message) : found.has(inQuotes(text)))
  return new Set([...texts].filter(isQuoted))
}

function inQuotes(text: string): string {
  return `"${text.replace(QUOTE, '"')}"`
}

/** Whether the value contains a lone surrogate, which `jsonb` refuses. */
function isTorn({ value }: Leaf): boolean {
  return typeof value === 'string' && /\p{Surrogate}/u.test(value)
}
