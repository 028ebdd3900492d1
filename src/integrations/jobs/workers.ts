import type { JobWithMetadata } from 'pg-boss'
import type { Timer } from '../../index.js'
import { type JobsDeps, LostClaimError } from './queues.js'
import { runJob } from './run-job.js'
import { planSchedules } from './schedules.js'
import type { Work } from './worker.js'

/** The interval at which a worker looks for jobs from other processes, in seconds. */
const POLL_SECONDS = 1
/**
 * The interval at which schedules are planned, in milliseconds. They are also planned at startup and after each run,
 * but another process may have failed to plan its next run.
 */
const PLAN_MS = 20_000

/** The workers of one process. */
export class Workers {
  readonly #within: ReturnType<typeof slots>
  /** The running jobs, with functions that end them early. */
  readonly #running = new Map<Promise<unknown>, () => void>()
  /** The time at which each job was last sent in this process. */
  readonly #sentAt = new Map<string, number>()
  #isLeaving = false
  #planning: Timer | undefined

  /** @param concurrency The number of jobs that run concurrently. */
  constructor(
    private readonly parts: JobsDeps,
    concurrency: number,
  ) {
    this.#within = slots(concurrency)
  }

  /** The number of running jobs. */
  get running(): number {
    return this.#running.size
  }

  /** Starts looking for jobs. */
  async start(): Promise<void> {
    const { clock, works, queues } = this.parts
    await planSchedules(this.parts)
    this.#planning = clock.setInterval(() => void this.#plan(), PLAN_MS)
    for (const work of works.values()) {
      const options = {
        includeMetadata: true,
        pollingIntervalSeconds: POLL_SECONDS,
        localConcurrency: work.job.concurrency,
        localGroupConcurrency: work.job.perTenant,
      } as const
      const handle = (jobs: JobWithMetadata[]) => this.#take(work, jobs)
      await queues.boss.work<object, void, typeof options>(work.job.name, options, handle)
    }
  }

  /** Makes the workers of a sent job look for jobs: idle workers immediately, busy workers after their current job. */
  wake(name: string): void {
    this.#sentAt.set(name, this.parts.clock.monotonic())
    this.#notify(name, 0)
  }

  /**
   * Makes the workers of a job look for more jobs after a run, because pg-boss would wait for its polling interval.
   * Idle workers look only if a job was sent less than an interval ago. The worker that was woken then may have fetched
   * a job whose tenant had already reached its limit: pg-boss returns such a job to the queue, and the worker waits.
   */
  #wakeAfter(name: string): void {
    const elapsed = this.parts.clock.monotonic() - (this.#sentAt.get(name) ?? -Infinity)
    this.#notify(name, elapsed < POLL_SECONDS * 1000 ? 0 : 1)
  }

  /** @param least Only workers with at least this number of jobs are notified. */
  #notify(name: string, least: 0 | 1): void {
    const { boss } = this.parts.queues
    for (const worker of boss.getWipData())
      if (worker.name === name && worker.count >= least) boss.notifyWorker(worker.id)
  }

  async #take(work: Work, jobs: readonly JobWithMetadata[]): Promise<void> {
    for (const job of jobs) await this.#run(work, job)
    if (work.schedule !== null) await this.#plan()
    this.#wakeAfter(work.job.name)
  }

  async #plan(): Promise<void> {
    const { logger } = this.parts
    await planSchedules(this.parts).catch((err) =>
      logger.error({ err }, 'The next runs of the schedules could not be sent'),
    )
  }

  async #run(work: Work, job: JobWithMetadata): Promise<void> {
    const cut = new AbortController()
    const { queues } = this.parts
    const run = this.#within(async () => {
      if (this.#isLeaving) return await queues.giveBack(job)
      const signal = AbortSignal.any([job.signal, cut.signal])
      await runJob(work, { ...job, signal }, this.parts)
      // The job is given back before this run ends, because pg-boss then marks a job that is still active as completed.
      if (cut.signal.aborted) await queues.giveBack(job)
    })
    this.#running.set(run, () => cut.abort(new LostClaimError(job)))
    await run.finally(() => this.#running.delete(run))
  }

  /** Stops fetching jobs, lets running jobs finish within the time limit, and returns the others to the queue. */
  async leave(graceMs: number): Promise<void> {
    this.#isLeaving = true
    this.#planning?.cancel()
    const { queues, works, clock } = this.parts
    await Promise.all([...works.keys()].map((name) => queues.boss.offWork(name, { wait: false })))
    // The timer does not keep the process alive.
    const late = new Promise<void>((resolve) => void clock.setTimeout(resolve, graceMs))
    await Promise.race([Promise.allSettled(this.#running.keys()), late])
    for (const cut of this.#running.values()) cut()
    await Promise.allSettled(this.#running.keys())
  }
}

/** Limits how many functions run at once. The others wait in a queue. */
function slots(size: number) {
  let free = size
  const waiting: (() => void)[] = []
  return async <T>(fn: () => Promise<T>): Promise<T> => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await fn()
    } finally {
      const next = waiting.shift() ?? (() => free++)
      next()
    }
  }
}
