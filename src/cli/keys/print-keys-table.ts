import type { ApiKeysTableOptions } from 'blazon/postgres'
import { runDb } from '../db/run-db.js'
import type { Streams } from '../streams.js'

/** Options of `keys table`. */
export interface PrintKeysTableOptions extends ApiKeysTableOptions {}

/**
 * Prints SQL that creates the table of keys.
 *
 * @throws CliError when a name is wrong.
 */
export async function printKeysTable(
  options: PrintKeysTableOptions,
  streams: Streams,
): Promise<void> {
  streams.out(await runDb(({ apiKeysTable }) => apiKeysTable(options)))
}
