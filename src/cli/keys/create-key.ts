import { ConfigError, formatProblem } from '../../errors/config-error.js'
import { toSeconds } from '../../http/units.js'
import { CliError } from '../cli-error.js'
import { type DbOptions, databaseOf } from '../db/db-options.js'
import type { Streams } from '../streams.js'
import { runKeys } from './run-keys.js'

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
 * Makes a key, stores its hash, and prints the key.
 *
 * @throws CliError when an option or the database is wrong. Then nothing is stored.
 */
export async function createKey(options: CreateKeyOptions, streams: Streams): Promise<void> {
  const expiresAt = options.expires === undefined ? null : endOf(options.expires)
  if (options.tenant === '') throw wrong('The tenant is empty.', 'Name it, or leave --tenant out.')
  const { key, ...generated } = await generate(options.prefix)
  const database = databaseOf(options, true, streams.note)
  const stored = await runKeys(
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
  )
  if (options.json === true) streams.out(`${JSON.stringify({ key, ...stored }, null, 2)}\n`)
  else streams.out(`${key}\n`)
  const tenant = stored.tenant === null ? 'of no tenant' : `of the tenant ${stored.tenant}`
  streams.note(`The key ${stored.id}, ${tenant}, is stored as a hash: it is printed only now.`)
}

async function generate(prefix: string) {
  // The command line uses the public names of doors.
  const { generateApiKey } = await import('blazon/keys')
  try {
    return generateApiKey({ prefix })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new CliError({ status: 2, what: error.problems.map(formatProblem).join('\n\n') })
  }
}

/** A duration from now, or a date. A date without a time is its beginning in UTC. */
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
    throw wrong(`--expires ${text} is not a time.`, 'Give 90d, 2027-01-31 or 2027-01-31T12:00:00Z.')
  }
  if (end > now) return date
  throw wrong(`--expires ${text} is in the past.`, 'Give a later time.')
}

function wrong(what: string, remedy: string): CliError {
  return new CliError({ status: 2, what, remedy })
}
