import type { QueryResult, Statement } from '../driver.js'
import type { Reader } from '../values/read-array.js'
import { readersFor } from '../values/read-value.js'
import type { PgliteResult } from './pglite-package.js'

/**
 * Converts a result of PGlite, whose values are all text, to the result that every driver returns.
 */
export function readResult(result: PgliteResult, statement: Statement): QueryResult {
  const { fields, rowCount = 0, command = '' } = result
  const readerOf = readersFor(statement)
  const readers = fields.map(({ dataTypeID }) => readerOf(dataTypeID))
  const lists = result.rows.map((row) => row.map((text, index) => read(text, readers[index])))
  const names = fields.map(({ name }) => name)
  const rows = statement.rowMode === 'array' ? lists : lists.map((list) => nameValues(names, list))
  return { rows: rows as Record<string, unknown>[], rowCount, command, fields }
}

function read(text: string | null, reader: Reader | undefined): unknown {
  return text === null ? null : reader?.(text)
}

// `fromEntries` defines properties, so a column named `__proto__` stays a column.
function nameValues(names: readonly string[], list: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name, index) => [name, list[index]]))
}
