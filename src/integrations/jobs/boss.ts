import type { Db, PgBoss } from 'pg-boss'
import { type Clock, ConfigError, type DatabaseLink, type LinkQuery } from '../../index.js'
import { type Problem, refuseOldPeer } from '../../plugin/index.js'

/** The PostgreSQL setting that holds a test's time in a session, in milliseconds. */
const NOW = 'blazon.jobs_now'

/** The application's database, as an interface that pg-boss uses. */
export interface BossDatabase {
  /** For pg-boss's own work, outside of every transaction. */
  readonly own: Db
  /** Runs a function in the current transaction. */
  join<T>(fn: (db: Db) => Promise<T>): Promise<T>
}

/**
 * Lets pg-boss use the application's connections.
 *
 * @param clock The test's clock, which gives all pg-boss statements their time; `null` to use the database's time.
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
    // A script runs its own transactions, so the time is set for the whole session, which is reset afterwards.
    const [, ...rows] = await link.run(`${setNow(clock, false)}; ${text}`)
    return { rows }
  }
  return { own: { executeSql }, join }
}

let statements = 0

/**
 * Returns a statement that sets the time. The time advances by one microsecond per statement, so that jobs stay in
 * order while the clock stands still.
 */
function setNow(clock: Clock, isLocal: boolean): string {
  return `select set_config('${NOW}', '${clock.now() + ++statements / 1000}', ${isLocal})`
}

/** Replaces the function with which pg-boss reads the time. Sessions without a test time use the database's time. */
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
 * @throws ConfigError `E_PEER_MISSING` if Node or the package is too old, or if `pg-boss` or `@opentelemetry/api`
 * cannot be loaded.
 */
export async function loadBoss(version: string = process.versions.node): Promise<typeof PgBoss> {
  refuseOldPeer('pg-boss', { subject: 'blazon/jobs', origin: import.meta.url })
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isOld = major < 22 || (major === 22 && minor < 12)
  const cause = `pg-boss 12 needs Node 22.12 or later, but this process runs ${version}.`
  if (isOld) throw missing(cause, 'Use a later version of Node.')
  try {
    return (await import('pg-boss')).PgBoss
  } catch (error) {
    const cause = 'pg-boss or @opentelemetry/api, which pg-boss imports, cannot be loaded.'
    throw missing(cause, 'npm install pg-boss @opentelemetry/api', error)
  }
}

function missing(cause: string, remedy: string, error?: unknown): ConfigError {
  const problem: Problem = { code: 'E_PEER_MISSING', subject: 'blazon/jobs', cause, remedy }
  return new ConfigError([problem], { cause: error })
}
