import type { StoredJob } from 'blazon/jobs'
import { type DbOptions, databaseOf } from '../db/db-options.js'
import type { Streams } from '../streams.js'
import { runJobs } from './run-jobs.js'

/** Options of `jobs list` and `jobs dead`. */
export interface ListJobsOptions extends DbOptions {
  readonly name?: string
  readonly state?: StoredJob['state']
  readonly schema?: string
  readonly json?: boolean
}

/**
 * Prints jobs, the newest first.
 *
 * @throws CliError when an option or the database is wrong.
 */
export async function listStored(options: ListJobsOptions, streams: Streams): Promise<void> {
  const { name, state, schema, json } = options
  const database = databaseOf(options, true, streams.note)
  const jobs = await runJobs(database, ({ listJobs }, link) =>
    listJobs(link, { name, state, schema }),
  )
  if (json === true) return streams.out(`${JSON.stringify(jobs.map(withoutInput), null, 2)}\n`)
  streams.out(jobs.map(row).join(''))
  streams.note(jobs.length === 1 ? '1 job.' : `${jobs.length} jobs.`)
}

/** The command prints no inputs: they may contain personal data. */
function withoutInput({ input: _input, ...job }: StoredJob) {
  return job
}

function row({ id, name, state, tenant, attempts, sentAt, reason }: StoredJob): string {
  const runs = `${attempts} ${attempts === 1 ? 'run' : 'runs'}`
  const cells = [id, name, state, tenant ?? '-', runs, sentAt.toISOString(), reason ?? '']
  // Reasons are messages of errors: control characters could change the display of a terminal.
  return `${cells
    .join('  ')
    .replace(/\p{Cc}/gu, ' ')
    .trimEnd()}\n`
}
