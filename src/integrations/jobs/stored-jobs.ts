import type { DatabaseLink } from '../../index.js'
import { bossDatabase, loadBoss } from './boss.js'

/** A job in the database. */
export interface StoredJob {
  /** The job ID, which is the same in all runs. */
  readonly id: string
  /** The name of the job. */
  readonly name: string
  /** The state. `'dead'` means that all runs have failed. */
  readonly state: 'waiting' | 'running' | 'done' | 'dead' | 'cancelled'
  /** The tenant of the job; `null` if it has none. */
  readonly tenant: string | null
  /** The number of runs so far, including the current run. */
  readonly attempts: number
  /** The time at which the job was sent. */
  readonly sentAt: Date
  /** The earliest time of the next run. */
  readonly startAfter: Date
  /** The reason why the last run failed; `null` if it did not fail. */
  readonly reason: string | null
  /** The input, as sent. */
  readonly input: unknown
}

/** Selects the jobs to list. */
export interface StoredJobsFilter {
  /** Only jobs with this name. Default: all. */
  readonly name?: string | undefined
  /** Only jobs in this state. Default: all. */
  readonly state?: StoredJob['state'] | undefined
  /** Only jobs of this tenant. Default: all. */
  readonly tenant?: string | null | undefined
  /** The maximum number of jobs. Default: 50. */
  readonly limit?: number | undefined
  /** The schema that was passed to `jobs()`. Default: `'blazon_jobs'`. */
  readonly schema?: string | undefined
}

const STATES = `case when state < 'active' then 'waiting' when state = 'active' then 'running'
  when state = 'completed' then 'done' when state = 'failed' then 'dead' else 'cancelled' end`

/** Lists jobs, newest first. */
export async function listJobs(
  link: DatabaseLink,
  { name, state, tenant, limit = 50, schema = 'blazon_jobs' }: StoredJobsFilter = {},
): Promise<StoredJob[]> {
  const text = `select * from (select id::text, name, ${STATES} as state, data->>'tenant' as tenant,
      retry_count + (started_on is not null)::int as attempts, created_on as "sentAt", start_after as "startAfter",
      output->>'message' as reason, data->'input' as input from ${schema}.job where name not like '\\_\\_%') as jobs
    where ($1::text is null or name = $1) and ($2::text is null or state = $2)
      and ($3::text is null or tenant = $3) order by "sentAt" desc, id limit $4`
  const values = [name, state, tenant, limit].map((value) => value ?? null)
  return (await link.run(text, values)) as unknown as StoredJob[]
}

/**
 * Runs a dead job once more, immediately.
 *
 * @returns whether there is a dead job with this id.
 */
export async function retryJob(
  link: DatabaseLink,
  id: string,
  schema = 'blazon_jobs',
): Promise<boolean> {
  const find = `select name from ${schema}.job where id::text = $1 and state = 'failed'`
  const [found] = await link.run(find, [id])
  if (found === undefined) return false
  const PgBoss = await loadBoss()
  const { own: db } = bossDatabase(link, null)
  const boss = new PgBoss({ db, schema, migrate: false, supervise: false, schedule: false })
  await boss.start()
  await boss.retry(String(found['name']), id).finally(() => boss.stop({ graceful: false }))
  return true
}
