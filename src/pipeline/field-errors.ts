import type { FieldError } from '../contracts/schema.js'
import { MAX_ISSUES } from '../schema/work-limit.js'

/** The most bytes of all errors together. Names and messages may repeat data that the client sent. */
const MAX_BYTES = 8 * 1024
const MAX_MESSAGE = 1000
const MAX_PATH = 250

/** The most bytes that JSON needs for one character: `\u0001`. */
const MOST_BYTES_OF_CHARACTER = 6

/** Returns as many errors as a response may contain. Texts that are longer than any field needs are cut. */
export function limitErrors(errors: readonly FieldError[]): readonly FieldError[] {
  const first = errors.slice(0, MAX_ISSUES)
  let length = 0
  for (const { path, message } of first) length += path.length + message.length
  // In nearly all cases the errors are short enough, and no bytes need to be counted.
  return length * MOST_BYTES_OF_CHARACTER <= MAX_BYTES ? first : limitBytes(first)
}

/** Cuts the list to `MAX_BYTES`. The first error always fits. */
function limitBytes(errors: readonly FieldError[]): readonly FieldError[] {
  let room = MAX_BYTES
  const kept: FieldError[] = []
  for (const error of errors) {
    const short = {
      in: error.in,
      path: shorten(error.path, MAX_PATH),
      message: shorten(error.message, MAX_MESSAGE),
    }
    room -= Buffer.byteLength(JSON.stringify(short)) + 1
    if (room < 0) break
    kept.push(short)
  }
  return kept
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
