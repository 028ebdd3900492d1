import type { DrainOptions, JobRunReport, SentJob, TestJobs } from '../../index.js'
import type { BossDatabase } from './boss-database.js'
import { type RunParts, runJob } from './run-job.js'
import { type PlanParts, planSchedules } from './schedules.js'

/** The parts that the jobs of a test depend on. They exist when the application has started. */
export interface DrainParts extends RunParts, PlanParts {
  readonly database: BossDatabase
  readonly schema: string
}

/** After so many runs, a job is taken to send itself for ever. */
const MOST_RUNS = 10_000

/** Runs the jobs of an application under test, when the test wants it. */
export class Drain implements TestJobs {
  readonly sent: SentJob[] = []
  #parts: DrainParts | undefined

  async start(parts: DrainParts): Promise<void> {
    this.#parts = parts
    await planSchedules(parts)
  }

  async drain({ failures = 'throw' }: DrainOptions = {}): Promise<readonly JobRunReport[]> {
    const parts = this.#parts
    const reports: JobRunReport[] = []
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
async function runNext(parts: DrainParts): Promise<JobRunReport | null> {
  const { boss, database, works, schema } = parts
  const { rows } = await database.own.executeSql(
    `select name from ${schema}.job
    where state < 'active' and start_after <= ${schema}.job_now() and name = any($1)
    order by start_after, created_on limit 1`,
    [[...works.keys()]],
  )
  const work = works.get(rows[0]?.name)
  if (work === undefined) return null
  const [job] = await boss.fetch<object>(work.job.name, { includeMetadata: true })
  if (job === undefined) return null
  const signal = AbortSignal.timeout(work.job.timeoutSeconds * 1000)
  return { id: job.id, name: job.name, ...(await runJob(work, { ...job, signal }, parts)) }
}
