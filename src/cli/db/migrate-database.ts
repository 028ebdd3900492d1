import type { Streams } from '../streams.js'
import { type DbOptions, databaseOf } from './db-options.js'
import { runDb } from './run-db.js'

/** Options of `db migrate`. */
export interface MigrateDbOptions extends DbOptions {
  readonly login?: string
  readonly roles: boolean
  readonly strict?: true
}

/**
 * Runs the pending migrations, and prints each one when it is done.
 *
 * @throws CliError when a migration fails, or the options or the database are wrong.
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
        onWait: () => streams.note('Another process migrates this database: waiting for it.'),
      }),
    database,
  )
  const count = applied.length === 1 ? '1 migration' : `${applied.length} migrations`
  streams.note(
    applied.length === 0 ? 'Nothing to do: all migrations are applied.' : `${count} applied.`,
  )
}

function newerText(names: readonly string[]): string {
  const lines = names.map((name) => `newer    ${name}\n`).join('')
  return `${lines}A newer version of the application has applied these. They are allowed; --strict refuses them.`
}
