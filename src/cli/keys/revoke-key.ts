import { CliError } from '../cli-error.js'
import { type DbOptions, databaseOf } from '../db/db-options.js'
import type { Streams } from '../streams.js'
import { runKeys } from './run-keys.js'

/** Options of `keys revoke`. */
export interface RevokeKeyOptions extends DbOptions {
  readonly json?: boolean
}

/**
 * Revokes a key.
 *
 * @throws CliError with status 2 when there is no such key; and when an option or the database is wrong.
 */
export async function revokeKey(
  id: string,
  options: RevokeKeyOptions,
  streams: Streams,
): Promise<void> {
  const database = databaseOf(options, true, streams.note)
  const key = await runKeys(({ revokeApiKey }) => revokeApiKey(database, id), database)
  if (key === undefined) {
    const what = `There is no key with the id ${id}.`
    throw new CliError({ status: 2, what, remedy: '`blazon keys list` prints the ids.' })
  }
  if (options.json === true) return streams.out(`${JSON.stringify(key, null, 2)}\n`)
  streams.out(`revoked  ${key.id}  ${key.revokedAt?.toISOString()}\n`)
}
