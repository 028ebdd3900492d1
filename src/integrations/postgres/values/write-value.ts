import { writeArray } from './write-array.js'
import { writeDate } from './write-date.js'

/** A value on its way to PostgreSQL: its text, the bytes of a `bytea`, or nothing. */
export type Written = string | Uint8Array | null

/**
 * What is sent for a value. Arrays become arrays of PostgreSQL, other objects JSON; an array that is to be JSON is given as
 * `JSON.stringify(list)`.
 *
 * @throws TypeError for what has no text: functions, symbols, invalid dates, circular objects.
 */
export function writeValue(value: unknown): Written {
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
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  if (value instanceof Date) return writeDate(value)
  if (Array.isArray(value)) return writeArray(value, writeValue)
  return JSON.stringify(value) ?? null
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
