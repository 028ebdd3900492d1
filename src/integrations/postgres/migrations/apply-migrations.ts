import { ConfigError } from '../../../index.js'
import type { Connection, Driver } from '../driver.js'
import { Deadline } from '../drivers/deadline.js'
import { ensureRoles, type RoleOptions } from '../roles.js'
import {
  compareHistory,
  createHistory,
  type MigrationRecord,
  type MigrationStatus,
  pendingFiles,
  readHistory,
  shareHistory,
  startedAt,
  writeRecord,
} from './history.js'
import { type MigrationFile, readMigrations } from './migration-files.js'
import { runMigration } from './run-migration.js'

/** A migration that was applied. */
export interface AppliedMigration {
  /** The name of its file. */
  readonly name: string
  /** The duration in milliseconds. */
  readonly durationMs: number
}

/** The migrations to apply, and how to apply them. */
export interface ApplyOptions {
  /** The folder of the migrations. */
  readonly folder: string
  /** The roles that must exist; `null` if the application uses no tenants. */
  readonly roles: RoleOptions | null
  /**
   * Whether to refuse a database with migrations after the last one in the folder. A newer version of the application
   * may have applied such migrations before it was rolled back. Default: `false`.
   */
  readonly isStrict?: boolean
  /** Receives the names of the migrations from a newer version, once, if there are any. */
  readonly onNewer?: (names: readonly string[]) => void
  /** Receives each migration after it was applied. */
  readonly onApplied?: (migration: AppliedMigration) => void
  /** A callback that runs once if this process must wait for another process that is migrating. */
  readonly onWait?: () => void
}

/**
 * Applies the pending migrations under a lock, each in its own transaction unless its first line is
 * `-- blazon: no-transaction`. Several processes can do this at the same time: each applies only migrations that the
 * others have not applied.
 *
 * @param driver An open driver.
 * @returns the migrations that this process applied.
 * @throws ConfigError if a file is invalid, the folder and the database have different histories, or a statement fails;
 * HttpError 503 if the database cannot be reached.
 */
export async function applyMigrations(
  driver: Driver,
  options: ApplyOptions,
): Promise<AppliedMigration[]> {
  const files = await readMigrations(options.folder)
  const onWait = once(options.onWait)
  const records = await underLock(
    driver,
    (connection) => prepare(connection, options.roles),
    onWait,
  )
  const newer = compareHistory(files, records).filter(({ state }) => state === 'newer')
  if (newer.length > 0 && options.isStrict !== true)
    options.onNewer?.(newer.map(({ name }) => name))
  const applied: AppliedMigration[] = []
  for (;;) {
    const next = await applyNext(driver, files, { ...options, onWait })
    if (next === null) return applied
    applied.push(next)
    options.onApplied?.(next)
  }
}

/**
 * Wraps a callback so that it is called only once: each migration acquires the lock again, so it may have to wait
 * again.
 */
function once(call: () => void = () => {}): () => void {
  let isCalled = false
  return () => {
    if (isCalled) return
    isCalled = true
    call()
  }
}

/**
 * Creates the missing roles without running migrations.
 *
 * @param driver An open driver.
 */
export function prepareRoles(driver: Driver, roles: RoleOptions): Promise<void> {
  return underLock(driver, (connection) => ensureRoles(connection, roles))
}

/**
 * Compares the migrations in a folder with the migrations in a database. Changes nothing and acquires no lock.
 *
 * @param driver An open driver.
 * @throws ConfigError if a file is invalid or the login is not allowed to read the history; HttpError 503 if the
 * database cannot be reached.
 */
export async function readStatus(driver: Driver, folder: string): Promise<MigrationStatus[]> {
  const files = await readMigrations(folder)
  const connection = await driver.connect()
  try {
    return compareHistory(files, await readHistory(connection))
  } finally {
    connection.release()
  }
}

async function prepare(
  connection: Connection,
  roles: RoleOptions | null,
): Promise<MigrationRecord[]> {
  if (roles !== null) await ensureRoles(connection, roles)
  await createHistory(connection)
  if (roles?.login !== undefined) await shareHistory(connection, roles.login)
  return readHistory(connection)
}

/**
 * Applies the next migration. Looks it up under the lock each time, because another process may have applied it in the
 * meantime.
 */
function applyNext(
  driver: Driver,
  files: readonly MigrationFile[],
  { isStrict = false, onWait }: ApplyOptions,
): Promise<AppliedMigration | null> {
  const applyUnderLock = async (connection: Connection) => {
    const records = await readHistory(connection)
    const { isEmbedded } = driver
    const [file] = pendingFiles(files, records, { isStrict, isEmbedded })
    return file === undefined ? null : apply(driver, connection, file)
  }
  return underLock(driver, applyUnderLock, onWait)
}

async function apply(
  driver: Driver,
  connection: Connection,
  file: MigrationFile,
): Promise<AppliedMigration> {
  const started = await startedAt(connection)
  if (file.isTransactional) await runMigration(connection, file)
  else if (driver.isEmbedded) await runBetween(connection, file)
  else await runBeside(driver, connection, file)
  return { name: file.name, durationMs: await writeRecord(connection, file, started) }
}

/**
 * Runs a migration without a transaction and without the lock, because this process is the only user of the database.
 */
async function runBetween(connection: Connection, file: MigrationFile): Promise<void> {
  await connection.script('commit')
  await runMigration(connection, file)
  await begin(connection)
}

/** Runs a migration without a transaction on a second connection, while the first one holds the lock. */
async function runBeside(driver: Driver, lock: Connection, file: MigrationFile): Promise<void> {
  if (driver.size < 2) throw tooFewConnections(file)
  // Replaces the connection's last statement, whose snapshot would otherwise stay open and make CREATE INDEX
  // CONCURRENTLY wait.
  await lock.script('select 1')
  const connection = await driver.connect()
  try {
    await runMigration(connection, file)
  } finally {
    connection.destroy()
  }
}

function tooFewConnections({ name }: MigrationFile): ConfigError {
  const cause =
    'It runs without a transaction, on a second connection, because the migration lock uses the first.'
  const remedy = 'Set connections to 2 or more.'
  return new ConfigError([{ code: 'E_MIGRATION_FAILED', subject: name, cause, remedy }])
}

/** The key of the advisory lock for migrations: an arbitrary number that must be the same in every version. */
const LOCK = '108170535465838'
/** The pause between two attempts to acquire the lock, in milliseconds. */
const PAUSE_MS = 100

// The isolation level must be read committed; otherwise, a query under the lock could return an older state. The
// login's timeouts must not end a migration.
const LIMITS =
  "select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)"

async function begin(connection: Connection): Promise<void> {
  await connection.script('begin isolation level read committed read write')
  await connection.query({ text: LIMITS })
}

/**
 * Runs a function in a transaction, under the migration lock. The lock belongs to the transaction, so it is released
 * when the process ends, and it works with PgBouncer, which may switch connections between transactions.
 *
 * @param onWait Runs when another process holds the lock.
 */
async function underLock<T>(
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
    // Retries instead of waiting in a statement: a waiting statement holds a snapshot, and CREATE INDEX CONCURRENTLY in
    // the other process would wait for that snapshot.
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
