import type { Streams } from '../streams.js'
import { type DbOptions, databaseOf } from './db-options.js'
import { runDb } from './run-db.js'

/** What `db migrate` was asked for. */
export interface MigrateDbOptions extends DbOptions {
  readonly login?: string
  readonly roles: boolean
}

/**
 * Runs the migrations that have not been run, and prints each as soon as it is.
 *
 * @throws CliError
 */
export async function migrateDatabase(options: MigrateDbOptions, streams: Streams): Promise<void> {
  const database = databaseOf(options, false)
  const { login, roles } = options
  const applied = await runDb(({ migrate }) =>
    migrate(database, {
      ...(login === undefined ? {} : { login }),
      roles,
      onApplied: ({ name, durationMs }) => streams.out(`applied  ${name}  ${durationMs} ms\n`),
      onWait: () => streams.note('Another process migrates this database: waiting for it.'),
    }),
  )
  const count = applied.length === 1 ? '1 migration' : `${applied.length} migrations`
  streams.note(
    applied.length === 0 ? 'Nothing to do: all migrations are applied.' : `${count} applied.`,
  )
}
