import type { JobWithMetadata } from 'pg-boss'
import type { Clock, DrainOptions, JobRunReport, SentJob, TestJobs } from '../../index.js'
import type { Work } from './find-work.js'
import type { Boss } from './load-boss.js'
import { type RunParts, runJob } from './run-job.js'
import { timesBetween } from './schedules.js'

/** The parts that the jobs of a test depend on. They exist when the application has started. */
export interface DrainParts {
  readonly boss: Boss
  readonly works: ReadonlyMap<string, Work>
  readonly runParts: RunParts
  readonly clock: Clock
  /** Sends the job of a schedule. */
  readonly fire: (name: string) => Promise<unknown>
}

/** After so many runs, a job is taken to send itself for ever. */
const MOST_RUNS = 10_000

/** Runs the jobs of an application under test, when the test wants it. */
export class Drain implements TestJobs {
  readonly sent: SentJob[] = []
  #parts: DrainParts | undefined
  /** Up to when schedules were fired. */
  #firedTo = 0

  start(parts: DrainParts): void {
    this.#parts = parts
    this.#firedTo = parts.clock.now()
  }

  async drain({ failures = 'throw' }: DrainOptions = {}): Promise<readonly JobRunReport[]> {
    const parts = this.#parts
    if (parts === undefined) return []
    await this.#fire(parts)
    const reports: JobRunReport[] = []
    for (let name = await this.#next(parts); name !== null; name = await this.#next(parts)) {
      if (reports.length === MOST_RUNS)
        throw new Error(`drain(): ${MOST_RUNS} runs, and jobs are left.`)
      const report = await runNext(name, parts)
      if (report !== null) reports.push(report)
    }
    const failed = reports.find((report) => 'error' in report)
    if (failed !== undefined && failures === 'throw') throw failed.error
    return reports
  }

  /** Sends the jobs of all schedules that the clock has passed, in the order of their times. */
  async #fire({ boss, works, clock, fire }: DrainParts): Promise<void> {
    const span = [this.#firedTo, clock.now()] as const
    // A test may set its clock back.
    this.#firedTo = span[1]
    const due = [...works.values()].flatMap((work) =>
      timesBetween(boss, work, span).map((time) => ({ name: work.job.name, time: time.getTime() })),
    )
    due.sort((one, other) => one.time - other.time)
    for (const { name } of due) await fire(name)
  }

  /** The name of the job that is due first; `null` if none is due. */
  async #next({ boss, works, clock }: DrainParts): Promise<string | null> {
    const now = clock.now()
    const order = new Map(this.sent.map(({ id }, index) => [id, index]))
    const placeOf = ({ id }: JobWithMetadata) => order.get(id) ?? -1
    let first: JobWithMetadata | undefined
    for (const name of works.keys()) {
      for (const job of await boss.findJobs<object>(name, { queued: true })) {
        const wait = job.startAfter.getTime() - (first?.startAfter.getTime() ?? now)
        const isBefore = wait < 0 || (wait === 0 && placeOf(job) < placeOf(first ?? job))
        if (job.startAfter.getTime() <= now && (first === undefined || isBefore)) first = job
      }
    }
    return first?.name ?? null
  }
}

async function runNext(
  name: string,
  { boss, works, runParts }: DrainParts,
): Promise<JobRunReport | null> {
  const [job] = await boss.fetch<object>(name, { includeMetadata: true })
  const work = works.get(name)
  if (job === undefined || work === undefined) return null
  const signal = AbortSignal.timeout(work.job.timeoutSeconds * 1000)
  const { id } = job
  return { id, name, ...(await runJob(work, { ...job, signal }, runParts)) }
}
