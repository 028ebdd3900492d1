import { ConfigError } from '../../../index.js'
import type { Problem } from '../../../plugin/index.js'
import type { Connection } from '../driver.js'
import type { PostgresOptions } from '../options/postgres-options.js'
import { briefCause, PostgresError } from '../postgres-error.js'
import type { RoleOptions } from '../roles.js'
import { identifier, literal } from '../schema/names.js'
import { type MigrationFile, readMigrations } from './migration-files.js'

/** The record of an applied migration. */
export interface MigrationRecord {
  readonly name: string
  readonly checksum: string
  readonly appliedAt: Date
  readonly durationMs: number
}

/** The state of a migration. `changed`, `missing` and `late` are errors. */
export type MigrationState = 'applied' | 'pending' | 'newer' | 'changed' | 'missing' | 'late'

/** A migration that exists in the folder, in the database, or in both. */
export interface MigrationStatus {
  /** The name of its file. */
  readonly name: string
  /**
   * `newer`: it was applied by a newer version of the application, and comes after all files. `changed`: its file has
   * changed since it was applied. `missing`: it was applied, but its file was removed. `late`: it has not been applied,
   * although a later migration has.
   */
  readonly state: MigrationState
  /** The time when it was applied; `null` if it has not been applied. */
  readonly appliedAt: Date | null
  /** The duration in milliseconds; `null` if it has not been applied. */
  readonly durationMs: number | null
}

const EXISTS = "select to_regclass('blazon.migrations') is not null as found"
const READ =
  'select name, checksum, applied_at, duration_ms from blazon.migrations order by name collate "C"'
const CREATE = `
create schema if not exists blazon;
create table if not exists blazon.migrations (
  name text primary key,
  checksum text not null,
  applied_at timestamptz not null default clock_timestamp(),
  duration_ms integer not null
)`
const WRITE = `
insert into blazon.migrations (name, checksum, duration_ms)
values ($1, $2, (extract(epoch from clock_timestamp()) - $3::numeric) * 1000)
returning duration_ms`

/** Creates the table of migrations if it does not exist. */
export async function createHistory(connection: Connection): Promise<void> {
  if (!(await hasHistory(connection))) await permitted(connection.script(CREATE))
}

const MAY_READ =
  "select has_schema_privilege($1::name, 'blazon', 'usage') and has_table_privilege($1::name, 'blazon.migrations', 'select') as may"

/**
 * Lets the application's login read the names of the applied migrations, so that the application can warn about pending
 * migrations.
 */
export async function shareHistory(connection: Connection, login: string): Promise<void> {
  const { rows } = await connection.query({ text: MAY_READ, values: [login] })
  if (rows[0]?.['may'] === true) return
  const name = identifier(login)
  await permitted(
    connection.script(
      `grant usage on schema blazon to ${name}; grant select on blazon.migrations to ${name}`,
    ),
  )
}

/** Reads the applied migrations, sorted by name. Returns an empty list if their table does not exist. */
export async function readHistory(connection: Connection): Promise<MigrationRecord[]> {
  if (!(await hasHistory(connection))) return []
  const { rows } = await permitted(connection.query({ text: READ }))
  return rows.map((row) => ({
    name: String(row['name']),
    checksum: String(row['checksum']),
    appliedAt: row['applied_at'] as Date,
    durationMs: Number(row['duration_ms']),
  }))
}

// `to_regclass` also needs a privilege: it throws without `USAGE` on the schema.
async function hasHistory(connection: Connection): Promise<boolean> {
  const { rows } = await permitted(connection.query({ text: EXISTS }))
  return rows[0]?.['found'] === true
}

/** Returns the database time in seconds, for {@link writeRecord}. */
export async function startedAt(connection: Connection): Promise<string> {
  const text = 'select extract(epoch from clock_timestamp())::text as now'
  const { rows } = await connection.query({ text })
  return String(rows[0]?.['now'])
}

/** Records a migration as applied. Returns its duration in milliseconds. */
export async function writeRecord(
  connection: Connection,
  { name, checksum }: MigrationFile,
  started: string,
): Promise<number> {
  const { rows } = await connection.query({ text: WRITE, values: [name, checksum, started] })
  return Number(rows[0]?.['duration_ms'])
}

/** Compares files with records. Returns the state of each migration, sorted by name. */
export function compareHistory(
  files: readonly MigrationFile[],
  records: readonly MigrationRecord[],
): MigrationStatus[] {
  const last = records.at(-1)?.name ?? ''
  const applied = new Map(records.map((record) => [record.name, record]))
  const known = files.map((file): MigrationStatus => {
    const record = applied.get(file.name)
    applied.delete(file.name)
    return statusOf(file.name, record, stateOf(file, record, last))
  })
  const newest = files.at(-1)?.name ?? ''
  const gone = [...applied.values()].map((record) =>
    statusOf(record.name, record, record.name > newest ? 'newer' : 'missing'),
  )
  return [...known, ...gone].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function stateOf(
  { name, checksum }: MigrationFile,
  record: MigrationRecord | undefined,
  last: string,
): MigrationState {
  if (record === undefined) return name < last ? 'late' : 'pending'
  return record.checksum === checksum ? 'applied' : 'changed'
}

function statusOf(
  name: string,
  record: MigrationRecord | undefined,
  state: MigrationState,
): MigrationStatus {
  const { appliedAt = null, durationMs = null } = record ?? {}
  return { name, state, appliedAt, durationMs }
}

/**
 * Returns the files to apply.
 *
 * @param database `isStrict`: whether migrations from a newer version are refused. `isEmbedded`: whether the database
 * is a folder on this machine.
 * @throws ConfigError if the folder and the database have different histories.
 */
export function pendingFiles(
  files: readonly MigrationFile[],
  records: readonly MigrationRecord[],
  { isStrict, isEmbedded }: { readonly isStrict: boolean; readonly isEmbedded: boolean },
): MigrationFile[] {
  const all = compareHistory(files, records)
  const problems = all
    .filter(({ state }) => isStrict || state !== 'newer')
    .flatMap(({ name, state }) => problemOf({ name, state, isEmbedded }, files))
  if (problems.length > 0) throw new ConfigError(problems)
  const pending = new Set(all.filter(({ state }) => state === 'pending').map(({ name }) => name))
  return files.filter(({ name }) => pending.has(name))
}

/** Returns the problem with a migration; an empty list if its state is not an error. */
function problemOf(
  { name, state, isEmbedded }: Pick<MigrationStatus, 'name' | 'state'> & { isEmbedded: boolean },
  files: readonly MigrationFile[],
): Problem[] {
  if (state === 'changed') return [changed(name, files, isEmbedded)]
  if (state === 'missing' || state === 'newer') {
    const isNewer = state === 'newer'
    const cause = isNewer
      ? 'It was applied by a newer version of the application.'
      : 'It was applied, but its file is missing.'
    const remedy = isNewer
      ? 'Deploy a version that contains this migration. Without `--strict`, the migration is allowed.'
      : 'Restore the file: the file of an applied migration must stay in the folder.'
    return [{ code: 'E_MIGRATION_MISSING', subject: name, cause, remedy }]
  }
  if (state !== 'late') return []
  const cause = 'It is new, but a later migration has already been applied.'
  const remedy = 'Rename it, so that it is the last migration.'
  return [{ code: 'E_MIGRATION_ORDER', subject: name, cause, remedy }]
}

function changed(name: string, files: readonly MigrationFile[], isEmbedded: boolean): Problem {
  const checksum = files.find((file) => file.name === name)?.checksum ?? ''
  const cause = 'Its file has changed since it was applied.'
  const begin = isEmbedded
    ? ' If the data is not needed: stop the application and `blazon dev`, and delete the folder of the embedded database; all migrations run at the next start.'
    : ''
  const remedy = `Undo the change, and put it into a new migration.${begin} If the old and the new content have the same effect: update blazon.migrations set checksum = ${literal(checksum)} where name = ${literal(name)}`
  return { code: 'E_MIGRATION_CHANGED', subject: name, cause, remedy }
}

async function permitted<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof PostgresError) || error.code !== '42501') throw error
    const cause = 'This login is not allowed to use or create the table blazon.migrations.'
    const remedy = 'Migrate with the login that owns the tables.'
    const subject = 'blazon.migrations'
    throw new ConfigError([{ code: 'E_DATABASE_LOGIN', subject, cause, remedy }], {
      cause: briefCause(error),
    })
  }
}

/**
 * Returns a name for the state of a new in-memory database after its migrations, derived from its roles and files.
 * Returns `undefined` for all other databases, because they have a history.
 *
 * @throws ConfigError with all problems in the migrations.
 */
export async function stateInMemory(
  { embedded, migrations }: PostgresOptions,
  roles: RoleOptions,
): Promise<string | undefined> {
  if (embedded !== 'memory') return undefined
  const files = migrations === undefined ? [] : await readMigrations(migrations)
  return JSON.stringify([roles, files.map(({ name, checksum }) => [name, checksum])])
}
