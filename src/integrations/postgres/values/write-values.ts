import { types } from 'node:util'
import type { Statement } from '../driver.js'
import { PostgresError } from '../postgres-error.js'
import { classifyStatement } from '../statement-text.js'

/** The maximum number of values. The protocol stores this number in 16 bits. */
const MOST_VALUES = 65_535

/**
 * Converts the values of a statement to the form in which they are sent.
 *
 * @throws PostgresError for a value that cannot be sent, as for a value that the server refuses.
 */
export function writeValues({ text, values = [] }: Statement): Written[] {
  checkText(text)
  if (values.length > MOST_VALUES) {
    const message = `A statement can have at most ${MOST_VALUES} values, but this one has ${values.length}.`
    throw new PostgresError(message, { code: '54023' })
  }
  const written: Written[] = []
  // A hole in the array also becomes `null`.
  for (let index = 0; index < values.length; index++) written.push(write(values[index], index))
  return written
}

function write(value: unknown, index: number): Written {
  try {
    return writeValue(value)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'It cannot be converted to a string.'
    throw new PostgresError(
      `The value of $${index + 1} cannot be sent. ${reason}`,
      { code: '22023' },
      { cause },
    )
  }
}

/**
 * Checks the SQL text of a statement.
 *
 * @throws PostgresError for a NUL byte, because the protocol ends a string there and would misread the rest; and for
 * `COPY … FROM STDIN`, as in dumps, because its rows are never sent: `pg` would wait forever, and PGlite would block
 * the whole process.
 */
export function checkText(text: string): void {
  if (text.includes('\0')) {
    throw new PostgresError('A statement cannot contain a NUL byte.', {
      code: '22021',
    })
  }
  if (classifyStatement(text).readsClient) {
    const message = 'COPY … FROM STDIN has no rows to read. Use INSERT instead.'
    throw new PostgresError(message, { code: '0A000' })
  }
}

/** A value in the form that is sent to PostgreSQL: a string, the bytes of a `bytea`, or `null`. */
export type Written = string | Buffer | null

/**
 * Converts a value to the form in which it is sent. Arrays become PostgreSQL arrays, and other objects become JSON. To
 * send an array as JSON, pass `JSON.stringify(list)`.
 *
 * @throws TypeError for values that cannot be represented as strings: functions, symbols, invalid dates, circular
 * objects, and a `Map`, a promise or another object with data whose JSON would be `{}`.
 */
function writeValue(value: unknown): Written {
  switch (typeof value) {
    case 'string':
      return value
    case 'undefined':
      return null
    case 'object':
      return writeObject(value)
    case 'function':
    case 'symbol':
      throw new TypeError(`A ${typeof value} cannot be a value of a statement.`)
    default:
      return String(value)
  }
}

function writeObject(value: object | null): Written {
  if (value === null) return null
  if (ArrayBuffer.isView(value)) return bytesOf(value)
  if (value instanceof ArrayBuffer) return Buffer.from(value)
  if (value instanceof Date) return writeDate(value)
  if (Array.isArray(value)) return writeArray(value, writeValue)
  return writeJson(value)
}

function writeJson(value: object): string | null {
  const json = JSON.stringify(value) ?? null
  // Most values contain no empty object, so their parts do not need to be visited separately.
  if (json?.includes('{}')) JSON.stringify(value, refuseHidden)
  return json
}

/**
 * Refuses values that JSON represents as `{}` although they contain data: a `Map`, a `Set`, `Headers`, an iterator or a
 * promise. They would be saved without their data and without an error.
 */
function refuseHidden(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.keys(value).length > 0) return value
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1)
  if (tag === 'Object' || tag === 'Array' || types.isBoxedPrimitive(value)) return value
  throw new TypeError(
    `A value of type ${tag} cannot be represented in JSON: it would be saved as {}. Pass an object or a list, such as Object.fromEntries(value) or [...value].`,
  )
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** Converts an element that is not itself an array. */
type WriteElement = (value: unknown) => string | Uint8Array | null

/** Converts an array to PostgreSQL's text format: `{1,"a b",NULL,{2}}`. */
function writeArray(values: readonly unknown[], write: WriteElement): string {
  // `Array.from` also visits holes.
  return `{${Array.from(values, (value) => writeElement(value, write)).join(',')}}`
}

function writeElement(value: unknown, write: WriteElement): string {
  if (Array.isArray(value)) return writeArray(value, write)
  const written = write(value)
  if (written === null) return 'NULL'
  if (typeof written !== 'string') return `"\\\\x${Buffer.from(written).toString('hex')}"`
  return `"${written.replace(/["\\]/g, '\\$&')}"`
}

/**
 * Converts a date to a UTC string for PostgreSQL, so that the time zones of the process and the session are irrelevant.
 */
function writeDate(date: Date): string {
  if (Number.isNaN(date.getTime())) {
    throw new TypeError('An invalid Date cannot be a value of a statement.')
  }
  const year = date.getUTCFullYear()
  const rest = date.toISOString().slice(-20)
  // PostgreSQL has no year 0: the year before 1 is 1 BC.
  if (year < 1) return `${pad(1 - year)}${rest} BC`
  return `${pad(year)}${rest}`
}

function pad(year: number): string {
  return String(year).padStart(4, '0')
}
