import type { Db } from 'pg-boss'
import type { Clock, DatabaseLink, LinkQuery } from '../../index.js'

/** The setting in which a session has the time of a test, in milliseconds. */
const NOW = 'blazon.jobs_now'
const SET_NOW = `select set_config('${NOW}', $1, true)`

/** The database of the application, as pg-boss uses it. */
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
  return {
    own: {
      async executeSql(text, values = []) {
        if (clock === null) return { rows: await link.run(text, values) }
        // A script has its own transactions, so the session has the time. It is cleaned afterwards.
        if (values.length > 0) return await link.join((query) => timed(query, clock, text, values))
        const setNow = `select set_config('${NOW}', '${timeOf(clock)}', false)`
        const [, ...rows] = await link.run(`${setNow}; ${text}`)
        return { rows }
      },
    },
    join: (fn) =>
      link.join((query) =>
        fn({
          executeSql: async (text, values = []) =>
            clock === null
              ? { rows: await query(text, values) }
              : await timed(query, clock, text, values),
        }),
      ),
  }
}

/** Runs a statement at the time of a test. The setting ends with the transaction. */
async function timed(query: LinkQuery, clock: Clock, ...statement: Parameters<LinkQuery>) {
  await query(SET_NOW, [timeOf(clock)])
  return { rows: await query(...statement) }
}

let statements = 0

/** Each statement comes a microsecond later than the one before, so that jobs have an order while the clock stands still. */
function timeOf(clock: Clock): string {
  statements += 1
  return String(clock.now() + statements / 1000)
}

/** Replaces the function by which statements of pg-boss read the time. A session without a time of a test has its own. */
export async function followTests(link: DatabaseLink, schema: string): Promise<void> {
  await link.run(`create or replace function ${schema}.job_now() returns timestamptz language sql stable as $$
    select coalesce(to_timestamp(nullif(current_setting('${NOW}', true), '')::float8 / 1000), pg_catalog.now())
  $$`)
}
