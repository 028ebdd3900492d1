import type { DrainOptions, JobRunReport, SentJob, TestJobs } from '../../plugin/index.js'
import type { JobsDeps } from './jobs-deps.js'
import { runJob } from './run-job.js'
import { planSchedules } from './schedules.js'

/** After so many runs, a job is taken to send itself for ever. */
const MOST_RUNS = 10_000

/** Runs the jobs of an application under test, when the test wants it. */
export class Drain implements TestJobs {
  readonly sent: SentJob[] = []
  #parts: JobsDeps | undefined

  get known(): TestJobs['known'] {
    const works = [...(this.#parts?.works.values() ?? [])].filter((work) => work.schedule === null)
    return new Map(works.map(({ job }) => [job.name, job]))
  }

  async start(parts: JobsDeps): Promise<void> {
    this.#parts = parts
    await planSchedules(parts)
  }

  async drain({ failures = 'throw' }: DrainOptions = {}): Promise<readonly JobRunReport[]> {
    const reports: JobRunReport[] = []
    const parts = this.#parts
    if (parts === undefined) return reports
    // A test may have set its clock since the start.
    await planSchedules(parts)
    for (let run = await runNext(parts); run !== null; run = await runNext(parts)) {
      reports.push(run)
      if (parts.works.get(run.name)?.schedule !== null) await planSchedules(parts)
      if (reports.length > MOST_RUNS)
        throw new Error(`drain(): ${MOST_RUNS} runs, and jobs are left.`)
    }
    const failed = reports.find((report) => 'error' in report)
    if (failed !== undefined && failures === 'throw') throw failed.error
    return reports
  }
}

/** Runs the job that is due first; `null` if none is due. */
async function runNext(parts: JobsDeps): Promise<JobRunReport | null> {
  const { queues, works, schema } = parts
  const next = `select name from ${schema}.job
    where state < 'active' and start_after <= ${schema}.job_now() and name = any($1)
    order by start_after, created_on limit 1`
  const { rows } = await queues.database.own.executeSql(next, [[...works.keys()]])
  const work = works.get(rows[0]?.name)
  if (work === undefined) return null
  const [job] = await queues.boss.fetch<object>(work.job.name, { includeMetadata: true })
  const signal = AbortSignal.timeout(work.job.timeout * 1000)
  return job === undefined ? null : await runJob(work, { ...job, signal }, parts)
}
