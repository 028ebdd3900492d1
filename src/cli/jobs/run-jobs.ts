import type { DatabaseLink } from 'blazon'
import type { PostgresOptions } from 'blazon/postgres'
import { CliError } from '../cli-error.js'
import { runDb } from '../db/run-db.js'

type JobsDoor = typeof import('blazon/jobs')

/** The SQLSTATEs of a missing table, and of a missing schema. */
const MISSING = ['42P01', '3F000']

/**
 * Runs a function with `blazon/jobs` and the database.
 *
 * @throws CliError as `runDb`, and when the database has no tables of jobs.
 */
export function runJobs<T>(
  database: PostgresOptions,
  use: (jobs: JobsDoor, link: DatabaseLink) => Promise<T>,
): Promise<T> {
  return runDb(async ({ withDatabaseLink, PostgresError }) => {
    const jobs = await import('blazon/jobs')
    try {
      return await withDatabaseLink(database, (link) => use(jobs, link))
    } catch (error) {
      if (!(error instanceof PostgresError && MISSING.includes(error.code))) throw error
      const remedy = 'Start the application with jobs() once, or name its schema: --schema <name>.'
      throw new CliError({ status: 1, what: 'The database has no tables of jobs.', remedy })
    }
  }, database)
}
