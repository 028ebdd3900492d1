import type { ProtectTableOptions, TenantTableOptions } from 'blazon/postgres'
import type { Streams } from '../streams.js'
import { runDb } from './run-db.js'

/** What `db table` was asked for. */
export interface TableOptions extends ProtectTableOptions, Pick<TenantTableOptions, 'id'> {
  /** SQL, as it stands between the parentheses of `CREATE TABLE`. */
  readonly columns?: string
  readonly existing?: boolean
}

/**
 * Prints SQL for a table whose rows belong to tenants.
 *
 * @throws CliError
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

/** A line for each column, where it is certain where one ends: not behind quotes, nor in parentheses. */
function linesOf(columns: string): string[] {
  const isPlain = !/['"]|\([^)]*\(/.test(columns)
  const lines = isPlain ? columns.split(/,(?![^(]*\))/) : [columns]
  return lines.filter((line) => line.trim() !== '')
}
