import { classifyStatement } from '../classify-statement.js'
import type { Statement } from '../driver.js'
import { PostgresError } from '../postgres-error.js'
import { type Written, writeValue } from './write-value.js'

/** The protocol stores the number of values in 16 bits. */
const MOST_VALUES = 65_535

/**
 * Converts the values of a statement to the form in which they are sent.
 *
 * @throws PostgresError for a value that cannot be sent, like the error for a value that the server
 * refuses.
 */
export function writeValues({ text, values = [] }: Statement): Written[] {
  checkText(text)
  if (values.length > MOST_VALUES) {
    const message = `A statement may have ${MOST_VALUES} values, and this one has ${values.length}.`
    throw new PostgresError(message, { code: '54023' })
  }
  const written: Written[] = []
  // A hole in the list is `null`, too.
  for (let index = 0; index < values.length; index++) written.push(write(values[index], index))
  return written
}

function write(value: unknown, index: number): Written {
  try {
    return writeValue(value)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'It has no text.'
    throw new PostgresError(
      `The value of $${index + 1} cannot be sent. ${reason}`,
      { code: '22023' },
      { cause },
    )
  }
}

/**
 * Checks the text of a statement.
 *
 * @throws PostgresError for a NUL byte: the protocol ends a text there and would misread the rest.
 * Also for `COPY … FROM STDIN`, as in dumps: no code sends its rows, so `pg` would wait without
 * end, and PGlite would block the whole process.
 */
export function checkText(text: string): void {
  if (text.includes('\0')) {
    throw new PostgresError('The text of a statement cannot have a NUL byte in it.', {
      code: '22021',
    })
  }
  if (classifyStatement(text).readsClient) {
    const message = 'COPY … FROM STDIN has nothing to read. Write the rows as INSERT.'
    throw new PostgresError(message, { code: '0A000' })
  }
}
