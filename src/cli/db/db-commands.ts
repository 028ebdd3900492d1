import type {
  Finding,
  MigrationState,
  MigrationStatus,
  ProtectTableOptions,
  TenantTableOptions,
} from 'blazon/postgres'
import { formatProblem } from '../../errors/config-error.js'
import { CliError } from '../cli-error.js'
import type { Streams } from '../program-context.js'
import { counted } from '../texts.js'
import { type DbOptions, databaseOf } from './db-options.js'
import { runDb } from './run-db.js'

/** Options of `db migrate`. */
export interface MigrateDbOptions extends DbOptions {
  readonly login?: string
  readonly roles: boolean
  readonly strict?: true
}

/**
 * Runs the pending migrations, and prints each one when it is complete.
 *
 * @throws CliError if a migration fails, or the options or the database are invalid.
 */
export async function migrateDatabase(options: MigrateDbOptions, streams: Streams): Promise<void> {
  const database = databaseOf(options, false, streams.note)
  const { login, roles, strict = false } = options
  const applied = await runDb(
    ({ migrate }) =>
      migrate(database, {
        ...(login === undefined ? {} : { login }),
        roles,
        strict,
        onNewer: (names) => streams.note(newerText(names)),
        onApplied: ({ name, durationMs }) => streams.out(`applied  ${name}  ${durationMs} ms\n`),
        onWait: () => streams.note('Another process is migrating this database: waiting for it.'),
      }),
    database,
  )
  streams.note(
    applied.length === 0
      ? 'Nothing to do: all migrations are applied.'
      : `${counted(applied.length, 'migration')} applied.`,
  )
}

function newerText(names: readonly string[]): string {
  const lines = names.map((name) => `newer    ${name}\n`).join('')
  return `${lines}A newer version of the application applied these migrations. They are allowed, except with --strict.`
}

/** Options of `db status`. */
export interface StatusOptions extends DbOptions {
  readonly json?: boolean
}

/** The states that are not errors. */
const FINE: readonly MigrationState[] = ['applied', 'pending', 'newer']

/**
 * Prints the state of each migration.
 *
 * @throws CliError with status 3 if the migrations in the folder and in the database do not match.
 */
export async function showStatus(options: StatusOptions, streams: Streams): Promise<void> {
  const database = databaseOf(options, true, streams.note)
  const list = await runDb(({ migrationStatus }) => migrationStatus(database), database)
  if (options.json === true) streams.out(`${JSON.stringify(list, null, 2)}\n`)
  else streams.out(list.map(row).join(''))
  const wrong = list.filter(({ state }) => !FINE.includes(state))
  if (wrong.length === 0) return streams.note(summary(list))
  throw new CliError({
    status: 3,
    what: `The migration files differ from the applied migrations: ${wrong.map(({ name, state }) => `${name} is ${state}`).join(', ')}.`,
    remedy:
      'Run `blazon db migrate`: it applies nothing, and prints how to resolve the differences.',
  })
}

function row({ name, state, appliedAt, durationMs }: MigrationStatus): string {
  const when = appliedAt === null ? '' : `  ${appliedAt.toISOString()}  ${durationMs} ms`
  return `${state.padEnd(7)}  ${name}${when}\n`
}

function summary(list: readonly MigrationStatus[]): string {
  const count = (wanted: MigrationState) => list.filter(({ state }) => state === wanted).length
  const newer = count('newer') === 0 ? '' : `, ${count('newer')} of a newer version`
  return `${count('applied')} applied, ${count('pending')} pending${newer}.`
}

/** Options of `db doctor`. */
export interface ExamineOptions extends DbOptions {
  readonly json?: boolean
}

/**
 * Prints problems that could allow one tenant to access another tenant's rows.
 *
 * @throws CliError with status 3 if any of the problems is an error.
 */
export async function examineDatabase(options: ExamineOptions, streams: Streams): Promise<void> {
  const database = databaseOf(options, true, streams.note)
  const findings = await runDb(({ doctor }) => doctor(database), database)
  if (options.json === true) streams.out(`${JSON.stringify(findings, null, 2)}\n`)
  else streams.out(findings.map(paragraph).join('\n'))
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  if (findings.length === 0) return streams.note('No problems were found: tenants are isolated.')
  const summary = `${counted(errors, 'error')}, ${counted(warnings, 'warning')}.`
  if (errors === 0) return streams.note(summary)
  throw new CliError({ status: 3, what: summary })
}

function paragraph(finding: Finding): string {
  return `${finding.severity} ${formatProblem(finding)}\n`
}

/** Options of `db table`. */
export interface TableOptions extends ProtectTableOptions, Pick<TenantTableOptions, 'id'> {
  /** The SQL for the columns, as in the parentheses of `CREATE TABLE`. */
  readonly columns?: string
  readonly existing?: boolean
}

/**
 * Prints SQL that creates a table whose rows belong to tenants.
 *
 * @throws CliError if the options are invalid.
 */
export async function printTable(
  name: string,
  { columns, existing, ...options }: TableOptions,
  streams: Streams,
): Promise<void> {
  const sql = await runDb(({ protectTable, tenantTable }) =>
    existing === true
      ? protectTable(name, options)
      : tenantTable(name, { ...options, columns: linesOf(columns ?? '') }),
  )
  streams.out(sql)
}

/**
 * Splits the columns into one line each. With quotes or nested parentheses, the end of a column is uncertain, so all
 * columns stay on one line.
 */
function linesOf(columns: string): string[] {
  const isPlain = !/['"]|\([^)]*\(/.test(columns)
  const lines = isPlain ? columns.split(/,(?![^(]*\))/) : [columns]
  return lines.filter((line) => line.trim() !== '')
}
