import type { Field, QueryResult, Statement } from '../driver.js'
import { readersFor } from '../values/read-value.js'
import type { PgliteResult } from './pglite-package.js'

/** Converts a result whose values are all text, as PostgreSQL sends it, to the result that every driver returns. */
export function readResult(result: PgliteResult, statement: Statement): QueryResult {
  const { fields, rowCount = 0, command = '' } = result
  const readerOf = readersFor(statement)
  const readers = fields.map(({ dataTypeID }) => readerOf(dataTypeID))
  const read = (text: string | null, index: number) =>
    text === null ? null : readers[index]?.(text)
  // `fromEntries` defines properties, so a column named `__proto__` stays a column. Copying an object with all columns is
  // faster than adding one property after the other.
  const template: Record<string, unknown> = Object.fromEntries(
    fields.map(({ name }) => [name, null]),
  )
  const byName = (row: readonly (string | null)[]) => {
    const named = { ...template }
    for (let index = 0; index < row.length; index++) {
      named[(fields[index] as Field).name] = read(row[index] as string | null, index)
    }
    return named
  }
  // The type of rows depends on `rowMode`, which is known only when the statement is sent.
  const rows =
    statement.rowMode === 'array'
      ? result.rows.map((row) => row.map(read))
      : result.rows.map(byName)
  return { rows: rows as QueryResult['rows'], rowCount, command, fields }
}
