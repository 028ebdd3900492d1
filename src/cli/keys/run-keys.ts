import type { PostgresOptions } from 'blazon/postgres'
import { CliError } from '../cli-error.js'
import { runDb } from '../db/run-db.js'

type Postgres = typeof import('blazon/postgres')

/** The SQLSTATEs of a missing table, and of a missing schema. */
const MISSING = ['42P01', '3F000']

/**
 * Runs a function on the table of keys.
 *
 * @throws CliError as `runDb`, and when there is no such table.
 */
export function runKeys<T>(
  use: (postgres: Postgres) => Promise<T>,
  database: PostgresOptions,
): Promise<T> {
  return runDb(async (postgres) => {
    try {
      return await use(postgres)
    } catch (error) {
      const isMissing = error instanceof postgres.PostgresError && MISSING.includes(error.code)
      throw isMissing ? missingTable() : error
    }
  }, database)
}

function missingTable(): CliError {
  return new CliError({
    status: 1,
    what: 'The database has no table of API keys.',
    cause: 'The table blazon.api_keys does not exist.',
    remedy:
      'Write the SQL of `blazon keys table` into a file of the migrations, and run `blazon db migrate`.',
  })
}
