import type { Connection, Driver } from '../driver.js'
import { Deadline } from '../drivers/deadline.js'

/** The key of the advisory lock that every migration takes: `blazon` in ASCII. */
const LOCK = '108170535465838'
/** The pause between two attempts to take the lock, in milliseconds. */
const PAUSE_MS = 100

// The isolation level must be read committed: otherwise a query under the lock could return the
// state from before it. Timeouts that the login has must not end a migration.
const LIMITS =
  "select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)"

/** Begins a transaction without time limits. */
export async function begin(connection: Connection): Promise<void> {
  await connection.script('begin isolation level read committed read write')
  await connection.query({ text: LIMITS })
}

/**
 * Runs a function in a transaction, under the lock of migrations. The lock belongs to the
 * transaction. It ends when the process dies, and it works with PgBouncer, which may change the
 * connection between transactions.
 *
 * @param onWait Called once when another process holds the lock.
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
    // Try again instead of waiting in a statement: a waiting statement holds a snapshot, and CREATE
    // INDEX CONCURRENTLY in the other process would wait for it.
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
