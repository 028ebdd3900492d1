import type { MigrationState, MigrationStatus } from 'blazon/postgres'
import { CliError } from '../cli-error.js'
import type { Streams } from '../streams.js'
import { type DbOptions, databaseOf } from './db-options.js'
import { runDb } from './run-db.js'

/** Options of `db status`. */
export interface StatusOptions extends DbOptions {
  readonly json?: boolean
}

/** The states that are not an error. */
const FINE: readonly MigrationState[] = ['applied', 'pending', 'newer']

/**
 * Prints the state of each migration.
 *
 * @throws CliError with status 3 when the migrations in the folder and in the database do not match.
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
      '`blazon db migrate` applies nothing until this is resolved, and prints how to resolve it.',
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
