import type { ProtectTableOptions, TenantTableOptions } from 'blazon/postgres'
import type { Streams } from '../streams.js'
import { runDb } from './run-db.js'

/** Options of `db table`. */
export interface TableOptions extends ProtectTableOptions, Pick<TenantTableOptions, 'id'> {
  /** The SQL of the columns, as it is written between the parentheses of `CREATE TABLE`. */
  readonly columns?: string
  readonly existing?: boolean
}

/**
 * Prints SQL that creates a table whose rows belong to tenants.
 *
 * @throws CliError when the options are wrong.
 */
export async function printTable(
  name: string,
  { columns, existing, ...options }: TableOptions,
  streams: Streams,
): Promise<void> {
  const sql = await runDb(({ protectTable, tenantTable }) =>
    existing === true
      ? protectTable(name, options)
      : tenantTable(name, { ...options, columns: linesOf(columns ?? '') }),
  )
  streams.out(sql)
}

/**
 * Splits the columns into one line each. With quotes or nested parentheses the end of a column is not
 * certain: all columns then stay together.
 */
function linesOf(columns: string): string[] {
  const isPlain = !/['"]|\([^)]*\(/.test(columns)
  const lines = isPlain ? columns.split(/,(?![^(]*\))/) : [columns]
  return lines.filter((line) => line.trim() !== '')
}
