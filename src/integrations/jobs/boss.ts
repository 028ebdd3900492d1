import type { Db, PgBoss } from 'pg-boss'
import { type Clock, ConfigError, type DatabaseLink, type LinkQuery } from '../../index.js'
import { type Problem, refuseOldPeer } from '../../plugin/index.js'

/** The setting in which a session has the time of a test, in milliseconds. */
const NOW = 'blazon.jobs_now'

/** The database of the application, in the form that pg-boss uses. */
export interface BossDatabase {
  /** For work of pg-boss itself, apart from every transaction. */
  readonly own: Db
  /** Runs a function with the transaction of the current code. */
  join<T>(fn: (db: Db) => Promise<T>): Promise<T>
}

/**
 * Lets pg-boss use the connections of the application.
 *
 * @param clock The clock of a test, whose time all statements of pg-boss then have; `null` for the time of the database.
 */
export function bossDatabase(link: DatabaseLink, clock: Clock | null): BossDatabase {
  const joined = (query: LinkQuery): Db => ({
    async executeSql(text, values = []) {
      if (clock !== null) await query(setNow(clock, true))
      return { rows: await query(text, values) }
    },
  })
  const join: BossDatabase['join'] = (fn) => link.join((query) => fn(joined(query)))
  const executeSql: Db['executeSql'] = async (text, values = []) => {
    if (clock === null) return { rows: await link.run(text, values) }
    if (values.length > 0) return await join((db) => db.executeSql(text, values))
    // A script has its own transactions, so the session has the time. It is cleaned afterwards.
    const [, ...rows] = await link.run(`${setNow(clock, false)}; ${text}`)
    return { rows }
  }
  return { own: { executeSql }, join }
}

let statements = 0

/** Each statement gets a time one microsecond later, so that jobs have an order while the clock stands still. */
function setNow(clock: Clock, isLocal: boolean): string {
  return `select set_config('${NOW}', '${clock.now() + ++statements / 1000}', ${isLocal})`
}

/** Replaces the function by which statements of pg-boss read the time. A session without a time of a test has its own. */
export async function followTests(link: DatabaseLink, schema: string): Promise<void> {
  await link.run(`create or replace function ${schema}.job_now() returns timestamptz language sql stable as $$
    select coalesce(to_timestamp(nullif(current_setting('${NOW}', true), '')::float8 / 1000), pg_catalog.now())
  $$`)
}

/** The instance of pg-boss that an application uses. */
export type Boss = PgBoss

/**
 * Loads pg-boss.
 *
 * @throws ConfigError `E_PEER_MISSING` if Node or the package is too old, or the package is not installed.
 */
export async function loadBoss(version: string = process.versions.node): Promise<typeof PgBoss> {
  refuseOldPeer('pg-boss', { subject: 'blazon/jobs', origin: import.meta.url })
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isOld = major < 22 || (major === 22 && minor < 12)
  const cause = `pg-boss 12 needs Node 22.12 or later, and this is ${version}.`
  if (isOld) throw missing(cause, 'Use a later Node.')
  try {
    return (await import('pg-boss')).PgBoss
  } catch (error) {
    const cause = 'pg-boss, or @opentelemetry/api, which it imports, cannot be loaded.'
    throw missing(cause, 'npm install pg-boss @opentelemetry/api', error)
  }
}

function missing(cause: string, remedy: string, error?: unknown): ConfigError {
  const problem: Problem = { code: 'E_PEER_MISSING', subject: 'blazon/jobs', cause, remedy }
  return new ConfigError([problem], { cause: error })
}
