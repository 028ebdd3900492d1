import type { ApiKeysTableOptions, StoredApiKey } from 'blazon/postgres'
import { ConfigError, formatProblem } from '../../errors/config-error.js'
import { toSeconds } from '../../http/units.js'
import { CliError, type CliErrorFacts } from '../cli-error.js'
import { type DbOptions, databaseOf } from '../db/db-options.js'
import { runDb } from '../db/run-db.js'
import type { Streams } from '../program-context.js'
import { counted } from '../texts.js'

/** Options of `keys create`. */
export interface CreateKeyOptions extends DbOptions {
  readonly prefix: string
  readonly name?: string
  readonly tenant?: string
  readonly permission?: readonly string[]
  readonly role?: readonly string[]
  readonly expires?: string
  readonly json?: boolean
}

/**
 * Creates a key, stores its hash, and prints the key.
 *
 * @throws CliError if an option or the database is invalid. In that case, nothing is stored.
 */
export async function createKey(options: CreateKeyOptions, streams: Streams): Promise<void> {
  const expiresAt = options.expires === undefined ? null : endOf(options.expires)
  if (options.tenant === '') throw wrong('The tenant is empty.', 'Specify it, or omit --tenant.')
  const { key, ...generated } = await generate(options.prefix)
  const database = databaseOf(options, true, streams.note)
  const stored = await runDb(
    ({ saveApiKey }) =>
      saveApiKey(database, {
        ...generated,
        name: options.name ?? null,
        tenant: options.tenant ?? null,
        permissions: options.permission ?? [],
        roles: options.role ?? [],
        expiresAt,
      }),
    database,
    NO_TABLE,
  )
  if (options.json === true) streams.out(`${JSON.stringify({ key, ...stored }, null, 2)}\n`)
  else streams.out(`${key}\n`)
  const tenant = stored.tenant === null ? 'without a tenant' : `for the tenant ${stored.tenant}`
  streams.note(
    `The key ${stored.id}, ${tenant}, is stored only as a hash, so it is printed only now.`,
  )
}

async function generate(prefix: string) {
  // The public name is used, because the command line must not import an integration's internal files.
  const { generateApiKey } = await import('blazon/keys')
  try {
    return generateApiKey({ prefix })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new CliError({ status: 2, what: error.problems.map(formatProblem).join('\n\n') })
  }
}

/** Parses a duration from now, or a date. A date without a time means the start of that day in UTC. */
function endOf(text: string): Date {
  const now = Date.now()
  const seconds = toSeconds(text)
  const isDate = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(
    text,
  )
  const end =
    seconds === undefined ? (isDate ? Date.parse(text) : Number.NaN) : now + seconds * 1000
  const date = new Date(end)
  if (Number.isNaN(date.getTime())) {
    throw wrong(
      `--expires ${text} is not a time.`,
      'Specify 90d, 2027-01-31 or 2027-01-31T12:00:00Z.',
    )
  }
  if (end > now) return date
  throw wrong(`--expires ${text} is in the past.`, 'Specify a later time.')
}

function wrong(what: string, remedy: string): CliError {
  return new CliError({ status: 2, what, remedy })
}

/** Options of `keys list`. */
export interface ListKeysOptions extends DbOptions {
  readonly tenant?: string
  readonly json?: boolean
}

/**
 * Prints the keys, without secrets or hashes.
 *
 * @throws CliError if an option or the database is invalid.
 */
export async function listKeys(options: ListKeysOptions, streams: Streams): Promise<void> {
  const database = databaseOf(options, true, streams.note)
  const { tenant } = options
  const keys = await runDb(
    ({ listApiKeys }) => listApiKeys(database, { tenant }),
    database,
    NO_TABLE,
  )
  if (options.json === true) return streams.out(`${JSON.stringify(keys, null, 2)}\n`)
  const now = Date.now()
  streams.out(keys.map((key) => row(key, now)).join(''))
  streams.note(`${counted(keys.length, 'key')}.`)
}

function row(key: StoredApiKey, now: number): string {
  const { id, start, tenant, name, lastUsedAt } = key
  const used = lastUsedAt === null ? 'never used' : `used ${lastUsedAt.toISOString()}`
  const cells = [id, `${start}…`, stateOf(key, now).padEnd(7), tenant ?? '-', used, name ?? '']
  // Users choose the names, and control characters in them could affect the terminal.
  return `${cells
    .join('  ')
    .replace(/\p{Cc}/gu, '?')
    .trimEnd()}\n`
}

function stateOf({ revokedAt, expiresAt }: StoredApiKey, now: number): string {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt.valueOf() <= now ? 'expired' : 'live'
}

/** Options of `keys revoke`. */
export interface RevokeKeyOptions extends DbOptions {
  readonly json?: boolean
}

/**
 * Revokes a key.
 *
 * @throws CliError if there is no such key, or if an option or the database is invalid.
 */
export async function revokeKey(
  id: string,
  options: RevokeKeyOptions,
  streams: Streams,
): Promise<void> {
  const database = databaseOf(options, true, streams.note)
  const key = await runDb(({ revokeApiKey }) => revokeApiKey(database, id), database, NO_TABLE)
  if (key === undefined) {
    const what = `There is no key with the ID ${id}.`
    throw new CliError({ status: 2, what, remedy: 'List the IDs with `blazon keys list`.' })
  }
  if (options.json === true) return streams.out(`${JSON.stringify(key, null, 2)}\n`)
  streams.out(`revoked  ${key.id}  ${key.revokedAt?.toISOString()}\n`)
}

/**
 * Prints the SQL that creates the table for keys.
 *
 * @throws CliError if a name is invalid.
 */
export async function printKeysTable(
  options: ApiKeysTableOptions,
  streams: Streams,
): Promise<void> {
  streams.out(await runDb(({ apiKeysTable }) => apiKeysTable(options)))
}

/** The failure if the table does not exist. */
const NO_TABLE: CliErrorFacts = {
  status: 1,
  what: 'The database has no table of API keys.',
  cause: 'The table blazon.api_keys does not exist.',
  remedy:
    'Put the SQL that `blazon keys table` prints into a migration file, and run `blazon db migrate`.',
}
