import { ConfigError } from '../../../index.js'
import type { Connection, Driver } from '../driver.js'
import { ensureRoles, type RoleOptions } from './ensure-roles.js'
import {
  compareHistory,
  createHistory,
  type MigrationStatus,
  pendingFiles,
  readHistory,
  startedAt,
  writeRecord,
} from './history.js'
import { type MigrationFile, readMigrations } from './migration-files.js'
import { runMigration } from './run-migration.js'
import { begin, underLock } from './under-lock.js'

/** A migration that was run. */
export interface AppliedMigration {
  /** Of its file. */
  readonly name: string
  /** How long it took, in milliseconds. */
  readonly durationMs: number
}

/** Which migrations are run, and how. */
export interface ApplyOptions {
  /** Their folder. */
  readonly folder: string
  /** The roles that have to be there; `null` where there are no tenants. */
  readonly roles: RoleOptions | null
  /**
   * Whether the database may have migrations behind the last one of the folder: those of a later version of the application, which
   * runs beside this one. Default `false`.
   */
  readonly isNewerAllowed?: boolean
  /** Told of each one as soon as it is applied. */
  readonly onApplied?: (migration: AppliedMigration) => void
  /** Told once when another process migrates, and this one waits. */
  readonly onWait?: () => void
}

/**
 * Runs the migrations that have not been run, each in a transaction of its own, and under a lock: of several processes, each does what
 * the others have not done.
 *
 * @param driver One that is open.
 * @returns those that were run.
 * @throws ConfigError where a file is wrong, where the history is another one, and where a statement fails; HttpError 503 where the database cannot be reached.
 */
export async function applyMigrations(
  driver: Driver,
  options: ApplyOptions,
): Promise<AppliedMigration[]> {
  const files = await readMigrations(options.folder)
  await underLock(driver, (connection) => prepare(connection, options.roles), options.onWait)
  const applied: AppliedMigration[] = []
  for (;;) {
    const next = await applyNext(driver, files, options)
    if (next === null) return applied
    applied.push(next)
    options.onApplied?.(next)
  }
}

/**
 * Sees to it that the roles are there, without running migrations.
 *
 * @param driver One that is open.
 */
export function prepareRoles(driver: Driver, roles: RoleOptions): Promise<void> {
  return underLock(driver, (connection) => ensureRoles(connection, roles))
}

/**
 * Where each migration of a folder, and of a database, stands. Changes nothing, and waits for nobody.
 *
 * @param driver One that is open.
 * @throws ConfigError where a file is wrong; HttpError 503 where the database cannot be reached.
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

async function prepare(connection: Connection, roles: RoleOptions | null): Promise<void> {
  if (roles !== null) await ensureRoles(connection, roles)
  await createHistory(connection)
}

/** What is next is looked up under the lock, each time: it may be another process that has done it. */
function applyNext(
  driver: Driver,
  files: readonly MigrationFile[],
  { isNewerAllowed = false, onWait }: ApplyOptions,
): Promise<AppliedMigration | null> {
  const applyUnderLock = async (connection: Connection) => {
    const records = await readHistory(connection)
    const [file] = pendingFiles(files, records, isNewerAllowed)
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

/** Without a transaction, and without the lock: nobody else uses this database. */
async function runBetween(connection: Connection, file: MigrationFile): Promise<void> {
  await connection.script('commit')
  await runMigration(connection, file)
  await begin(connection)
}

/** Without a transaction, on a connection of its own, while another one keeps the lock. */
async function runBeside(driver: Driver, lock: Connection, file: MigrationFile): Promise<void> {
  if (driver.size < 2) throw tooFewConnections(file)
  // In the place of the statement before it, whose snapshot would stay, and which CREATE INDEX CONCURRENTLY would wait for.
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
    'It runs without a transaction and needs a second connection, because the lock holds the first.'
  const remedy = 'Give connections: 2, or more.'
  return new ConfigError([{ code: 'E_MIGRATION_FAILED', subject: name, cause, remedy }])
}
