import { CliError } from '../cli-error.js'
import { type DbOptions, databaseOf } from '../db/db-options.js'
import type { Streams } from '../streams.js'
import { runJobs } from './run-jobs.js'

/** Options of `jobs retry`. */
export interface RetryJobOptions extends DbOptions {
  readonly schema?: string
}

/**
 * Lets a dead job run once more.
 *
 * @throws CliError when there is no such job, or the database is wrong.
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
  const remedy = 'List the dead jobs with their ids: blazon jobs dead.'
  throw new CliError({ status: 1, what: `There is no dead job ${id}.`, remedy })
}
