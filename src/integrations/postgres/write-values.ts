import type { Statement } from './driver.js'
import { PostgresError } from './postgres-error.js'
import { type Written, writeValue } from './write-value.js'

/** The protocol counts them with 16 bits. */
const MOST_VALUES = 65_535

/**
 * The values of a statement, as they are sent.
 *
 * @throws PostgresError where the protocol has no way to send it; TypeError where a value has no text.
 */
export function writeValues({ text, values = [] }: Statement): Written[] {
  checkText(text)
  if (values.length > MOST_VALUES) {
    const message = `A statement may have ${MOST_VALUES} values, and this one has ${values.length}.`
    throw new PostgresError(message, { code: '54023' })
  }
  return Array.from(values, writeValue)
}

/** @throws PostgresError for a NUL byte: the protocol ends a text with it, and would take the rest for something else. */
export function checkText(text: string): void {
  if (!text.includes('\0')) return
  throw new PostgresError('The text of a statement cannot have a NUL byte in it.', {
    code: '22021',
  })
}
