import type { Connection, Driver } from '../driver.js'
import { Deadline } from '../drivers/deadline.js'

/** `blazon` in ASCII: the one lock of all that migrate a database. */
const LOCK = '108170535465838'
/** How long to wait before the lock is asked for again, in milliseconds. */
const PAUSE_MS = 100

// Read committed, or what is read under the lock would be what was before it. No timeout of the login's own ends a migration.
const LIMITS =
  "select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)"

/** Begins a transaction that may take its time. */
export async function begin(connection: Connection): Promise<void> {
  await connection.script('begin isolation level read committed read write')
  await connection.query({ text: LIMITS })
}

/**
 * Runs a function in a transaction that nobody else migrates during. The lock is the transaction's own, so it ends with it, whatever becomes of this
 * process, and PgBouncer may give the connection to others between transactions.
 *
 * @param onWait Called once when somebody else has the lock.
 */
export async function underLock<T>(
  driver: Driver,
  run: (connection: Connection) => Promise<T>,
  onWait: () => void = () => {},
): Promise<T> {
  let isFirst = true
  for (;;) {
    const outcome = await attempt(driver, run)
    if (outcome !== null) return outcome.value
    if (isFirst) onWait()
    isFirst = false
    // Asked for again and again: who waits in a statement keeps a snapshot, and CREATE INDEX CONCURRENTLY waits for that.
    await new Promise<void>((resolve) => new Deadline(PAUSE_MS, resolve))
  }
}

async function attempt<T>(
  driver: Driver,
  run: (connection: Connection) => Promise<T>,
): Promise<{ readonly value: T } | null> {
  const connection = await driver.connect()
  try {
    await begin(connection)
    const isMine = await takeLock(connection)
    const outcome = isMine ? { value: await run(connection) } : null
    await connection.script('commit')
    connection.release()
    return outcome
  } catch (error) {
    connection.destroy()
    throw error
  }
}

async function takeLock(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query({
    text: `select pg_try_advisory_xact_lock(${LOCK}) as mine`,
  })
  return rows[0]?.['mine'] === true
}
