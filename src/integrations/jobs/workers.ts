import type { JobWithMetadata } from 'pg-boss'
import type { Clock, Timer } from '../../index.js'
import type { Work } from './find-work.js'
import { type RunParts, runJob } from './run-job.js'
import { type PlanParts, planSchedules } from './schedules.js'
import { LostClaimError } from './settlement.js'

/** Dependencies of the workers of a process. */
export interface WorkersConfig extends RunParts, PlanParts {
  /** How many jobs run at once. */
  readonly concurrency: number
}

/** How often a worker looks for jobs that another process has sent, in seconds. */
const POLL_SECONDS = 1
/** How often schedules are planned besides the start and each run: another process may have ended before it could. */
const PLAN_MS = 20_000

/** The workers of one process. */
export class Workers {
  readonly #config: WorkersConfig
  readonly #slots: Slots
  /** The runs that have begun, with what gives their jobs back. */
  readonly #running = new Map<Promise<void>, () => Promise<void>>()
  #isLeaving = false
  #planning: Timer | undefined

  constructor(config: WorkersConfig) {
    this.#config = config
    this.#slots = new Slots(config.concurrency)
  }

  /** How many runs are under way. */
  get running(): number {
    return this.#running.size
  }

  /** Begins to look for jobs. */
  async start(): Promise<void> {
    await planSchedules(this.#config)
    this.#planning = this.#config.clock.setInterval(() => void this.#plan(), PLAN_MS)
    for (const work of this.#config.works.values()) {
      const { name, concurrency, perTenant } = work.job
      const options = {
        includeMetadata: true,
        pollingIntervalSeconds: POLL_SECONDS,
        localConcurrency: concurrency,
        localGroupConcurrency: perTenant,
      } as const
      const handle = (jobs: JobWithMetadata[]) => this.#take(work, jobs)
      await this.#config.boss.work<object, void, typeof options>(name, options, handle)
    }
  }

  /** Lets the workers of a job look at once: this process has sent one. */
  wake(name: string): void {
    this.#notify(name, 0)
  }

  /** Those that are busy look as soon as they are not; the others do not look in vain. */
  #notify(name: string, least: number): void {
    const { boss } = this.#config
    for (const worker of boss.getWipData())
      if (worker.name === name && worker.count >= least) boss.notifyWorker(worker.id)
  }

  async #take(work: Work, jobs: readonly JobWithMetadata[]): Promise<void> {
    for (const job of jobs) await this.#runWithin(work, job)
    if (work.schedule !== null) await this.#plan()
    // pg-boss would wait for its interval.
    this.#notify(work.job.name, 1)
  }

  async #plan(): Promise<void> {
    const { logger } = this.#config
    await planSchedules(this.#config).catch((err) =>
      logger.error({ err }, 'The schedules could not be read'),
    )
  }

  async #runWithin(work: Work, job: JobWithMetadata): Promise<void> {
    const cut = new AbortController()
    const { settlement } = this.#config
    const claim = {
      name: job.name,
      attempt: { id: job.id, retryCount: job.retryCount },
      retryLimit: job.retryLimit,
    }
    const giveBack = async () => {
      await settlement.giveBack(claim)
      cut.abort(new LostClaimError(claim))
    }
    const run = this.#slots.within(async () => {
      if (this.#isLeaving) return await settlement.giveBack(claim)
      const signal = AbortSignal.any([job.signal, cut.signal])
      await runJob(work, { ...job, signal }, this.#config)
    })
    this.#running.set(run, giveBack)
    try {
      await run
    } finally {
      this.#running.delete(run)
    }
  }

  /** Takes no more jobs, lets those that run end within the time, and gives the others back. */
  async leave(graceMs: number): Promise<void> {
    this.#isLeaving = true
    this.#planning?.cancel()
    const { boss, works, clock } = this.#config
    await Promise.all([...works.keys()].map((name) => boss.offWork(name, { wait: false })))
    const runs = [...this.#running.keys()]
    await within(clock, graceMs, Promise.allSettled(runs))
    const left = [...this.#running].map(async ([run, giveBack]) => {
      // It may have ended in this moment.
      await giveBack().catch(() => {})
      await run.catch(() => {})
    })
    await Promise.all(left)
  }
}

/** Waits for a promise, but not longer than a time. */
async function within(clock: Clock, ms: number, promise: Promise<unknown>): Promise<void> {
  let end = () => {}
  const late = new Promise<void>((resolve) => {
    const timer = clock.setTimeout(resolve, ms)
    end = () => timer.cancel()
  })
  await Promise.race([promise, late])
  end()
}

/** Lets so many functions run at once. The others wait in line. */
class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(size: number) {
    this.#free = size
  }

  async within<T>(fn: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await fn()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}
