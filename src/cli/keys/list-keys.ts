import type { StoredApiKey } from 'blazon/postgres'
import { type DbOptions, databaseOf } from '../db/db-options.js'
import type { Streams } from '../streams.js'
import { runKeys } from './run-keys.js'

/** Options of `keys list`. */
export interface ListKeysOptions extends DbOptions {
  readonly tenant?: string
  readonly json?: boolean
}

/**
 * Prints the keys, without secrets and hashes.
 *
 * @throws CliError when an option or the database is wrong.
 */
export async function listKeys(options: ListKeysOptions, streams: Streams): Promise<void> {
  const database = databaseOf(options, true, streams.note)
  const { tenant } = options
  const keys = await runKeys(({ listApiKeys }) => listApiKeys(database, { tenant }), database)
  if (options.json === true) return streams.out(`${JSON.stringify(keys, null, 2)}\n`)
  const now = Date.now()
  streams.out(keys.map((key) => row(key, now)).join(''))
  streams.note(keys.length === 1 ? '1 key.' : `${keys.length} keys.`)
}

function row(key: StoredApiKey, now: number): string {
  const { id, start, tenant, name, lastUsedAt } = key
  const used = lastUsedAt === null ? 'never used' : `used ${lastUsedAt.toISOString()}`
  const cells = [id, `${start}…`, stateOf(key, now).padEnd(7), tenant ?? '-', used, name ?? '']
  // Names come from people: control characters could change the display of a terminal.
  return `${cells
    .join('  ')
    .replace(/\p{Cc}/gu, '?')
    .trimEnd()}\n`
}

function stateOf({ revokedAt, expiresAt }: StoredApiKey, now: number): string {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt.valueOf() <= now ? 'expired' : 'live'
}
