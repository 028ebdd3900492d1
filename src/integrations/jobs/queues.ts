import { randomUUID } from 'node:crypto'
import type { Db, JobWithMetadata, SendOptions } from 'pg-boss'
import type { Clock, DatabaseLink, Logger } from '../../index.js'
import type { SentJob, TenantStates } from '../../plugin/index.js'
import type { Boss, BossDatabase } from './boss.js'
import type { Envelope, JobDefinition } from './job.js'
import type { Works } from './worker.js'

const LONGEST_DELAY_SECONDS = 3600

/**
 * The error if a run no longer owns its job, because it took too long or the application is closing. Its effects must
 * not be saved.
 */
export class LostClaimError extends Error {
  constructor({ name, id }: JobWithMetadata) {
    super(`The job ${name} ${id} no longer belongs to this run, so this run saved nothing.`)
  }
}

/**
 * The job queues. Calls to pg-boss join the current transaction. Each job that this process has taken carries its run
 * number, so this process cannot end a later run of the job.
 */
export class Queues {
  constructor(
    readonly boss: Boss,
    readonly database: BossDatabase,
    /** `false` if a test replaces the database. */
    readonly isReal: boolean,
  ) {}

  /** Creates the queue of a job, or updates its options. */
  async open({ name, policy, ...job }: JobDefinition): Promise<void> {
    const options = {
      retryLimit: job.retries,
      retryDelay: job.retryDelay,
      retryBackoff: true,
      retryDelayMax: LONGEST_DELAY_SECONDS,
      expireInSeconds: job.timeout,
      deleteAfterSeconds: job.keep,
    }
    // This call has no effect on an existing queue.
    await this.boss.createQueue(name, { ...options, policy })
    await this.boss.updateQueue(name, options)
  }

  /**
   * Sends a job and returns its ID, or `null` if the job's policy excludes it or there is already a job with this ID.
   */
  async send(name: string, envelope: Envelope, options: SendOptions): Promise<string | null> {
    if (!this.isReal) return randomUUID()
    return await this.database.join((db) => this.boss.send(name, envelope, { ...options, db }))
  }

  /** @throws LostClaimError */
  async complete(job: JobWithMetadata): Promise<void> {
    const run = async (db: Db) => this.boss.complete(job.name, job, undefined, { db })
    await this.database.join(async (db) => assertOne(await run(db), job))
  }

  /** Records a failure. The job runs again later if it has retries left. */
  async fail(job: JobWithMetadata, error: unknown): Promise<void> {
    await this.database.join((db) => this.boss.fail(job.name, job, outputOf(error), { db }))
  }

  /** Marks a job as dead, even if it has retries left. */
  async bury(job: JobWithMetadata, error: unknown): Promise<void> {
    const { name, id } = job
    await this.#release(job, async (db) => {
      await this.boss.update(name, undefined, { id, retryLimit: 0, db })
      await this.boss.fail(name, id, outputOf(error), { db })
    })
  }

  /** Returns a job to the queue without counting this run. */
  async giveBack(job: JobWithMetadata, startAfter = 0): Promise<void> {
    const change = { id: job.id, retryLimit: job.retryLimit + 1, startAfter }
    await this.#release(job, (db) => this.boss.update(job.name, undefined, { ...change, db }))
  }

  /** Returns a running job to the queue, and changes it in the same transaction. */
  async #release(job: JobWithMetadata, change: (db: Db) => Promise<unknown>): Promise<void> {
    await this.database.join(async (db) => {
      assertOne(await this.boss.cancel(job.name, job, { db }), job)
      await this.boss.resume(job.name, job.id, { db })
      await change(db)
    })
  }
}

/** Checks that a command has changed one job. The types of pg-boss lack the number of changed jobs. */
function assertOne(response: { readonly affected?: number }, job: JobWithMetadata): void {
  if (response.affected !== 1) throw new LostClaimError(job)
}

/** Returns the reason for a failure, for lists of jobs. Stack traces are only logged. */
function outputOf(error: unknown): Pick<Error, 'name' | 'message'> {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  return { name, message }
}

/** The parts of an application that its jobs need. They are available once the application has started. */
export interface JobsDeps {
  readonly link: DatabaseLink
  readonly queues: Queues
  readonly schema: string
  readonly works: Works
  readonly clock: Clock
  readonly logger: Logger
  readonly usesTenants: boolean
  /** Returns the state of a tenant. */
  readonly stateOf: TenantStates
  /** Receives a sent job after its transaction has committed. */
  readonly onSent: (sent: SentJob) => void
}
