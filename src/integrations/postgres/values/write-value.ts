import { writeArray } from './write-array.js'
import { writeDate } from './write-date.js'

/** A value as it is sent to PostgreSQL: its text, the bytes of a `bytea`, or `null`. */
export type Written = string | Uint8Array | null

/**
 * Converts a value to the form in which it is sent. Arrays become PostgreSQL arrays, and other
 * objects become JSON. To send an array as JSON, pass `JSON.stringify(list)`.
 *
 * @throws TypeError for values without a text: functions, symbols, invalid dates, circular objects.
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
