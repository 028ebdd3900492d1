import type { DatabaseLink } from 'blazon'
import type { StoredJob } from 'blazon/jobs'
import type { PostgresOptions } from 'blazon/postgres'
import { CliError, type CliErrorFacts } from '../cli-error.js'
import { type DbOptions, databaseOf } from '../db/db-options.js'
import { runDb } from '../db/run-db.js'
import type { Streams } from '../program-context.js'
import { counted } from '../texts.js'

/** Options of `jobs list` and `jobs dead`. */
export interface ListJobsOptions extends DbOptions {
  readonly name?: string
  readonly state?: StoredJob['state']
  readonly schema?: string
  readonly json?: boolean
}

/**
 * Prints jobs, newest first.
 *
 * @throws CliError if an option or the database is invalid.
 */
export async function listStored(options: ListJobsOptions, streams: Streams): Promise<void> {
  const { name, state, schema, json } = options
  const database = databaseOf(options, true, streams.note)
  const jobs = await runJobs(database, ({ listJobs }, link) =>
    listJobs(link, { name, state, schema }),
  )
  if (json === true) return streams.out(`${JSON.stringify(jobs.map(withoutInput), null, 2)}\n`)
  streams.out(jobs.map(row).join(''))
  streams.note(`${counted(jobs.length, 'job')}.`)
}

/** Removes the input of a job, because inputs can contain personal data. */
function withoutInput({ input: _input, ...job }: StoredJob) {
  return job
}

function row({ id, name, state, tenant, attempts, sentAt, reason }: StoredJob): string {
  const cells = [
    id,
    name,
    state,
    tenant ?? '-',
    counted(attempts, 'run'),
    sentAt.toISOString(),
    reason ?? '',
  ]
  // Reasons are error messages, and control characters in them could affect the terminal.
  return `${cells
    .join('  ')
    .replace(/\p{Cc}/gu, ' ')
    .trimEnd()}\n`
}

/** Options of `jobs retry`. */
export interface RetryJobOptions extends DbOptions {
  readonly schema?: string
}

/**
 * Makes a dead job run once more.
 *
 * @throws CliError if there is no such job or the database is invalid.
 */
export async function retryOne(
  id: string,
  options: RetryJobOptions,
  streams: Streams,
): Promise<void> {
  const database = databaseOf(options, true, streams.note)
  const isFound = await runJobs(database, ({ retryJob }, link) =>
    retryJob(link, id, options.schema),
  )
  if (isFound) return streams.note(`The job ${id} will run once more.`)
  const remedy = 'List the dead jobs with their IDs: blazon jobs dead.'
  throw new CliError({ status: 1, what: `There is no dead job ${id}.`, remedy })
}

type Postgres = typeof import('blazon/postgres')
type JobsDoor = typeof import('blazon/jobs')

/** The failure if the tables do not exist. */
const NO_TABLES: CliErrorFacts = {
  status: 1,
  what: 'The database has no job tables.',
  remedy:
    'Start the application with jobs() once. If the tables are in another schema, specify it: --schema <name>.',
}

/**
 * Runs a function with `blazon/jobs` and the database.
 *
 * @throws CliError for the same reasons as `runDb`, and if the database has no job tables.
 */
function runJobs<T>(
  database: PostgresOptions,
  use: (jobs: JobsDoor, link: DatabaseLink) => Promise<T>,
): Promise<T> {
  const run = async ({ withDatabaseLink }: Postgres) => {
    const jobs = await import('blazon/jobs')
    return await withDatabaseLink(database, (link) => use(jobs, link))
  }
  return runDb(run, database, NO_TABLES)
}
