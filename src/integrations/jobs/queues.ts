import { randomUUID } from 'node:crypto'
import type { Db, JobWithMetadata, SendOptions } from 'pg-boss'
import type { Clock, DatabaseLink, Logger } from '../../index.js'
import type { SentJob, TenantStates } from '../../plugin/index.js'
import type { Boss, BossDatabase } from './boss.js'
import type { Envelope, JobDefinition } from './job.js'
import type { Works } from './worker.js'

const LONGEST_DELAY_SECONDS = 3600

/** The run no longer owns its job: it took too long, or the application is closing. Its effects must not be saved. */
export class LostClaimError extends Error {
  constructor({ name, id }: JobWithMetadata) {
    super(`The job ${name} ${id} was given to another run, so this run saved nothing.`)
  }
}

/**
 * The queues of jobs, with the functions of pg-boss, in the transaction of the current code. A job that this process has
 * taken has the number of its run, so this process cannot end a later run.
 */
export class Queues {
  constructor(
    readonly boss: Boss,
    readonly database: BossDatabase,
    /** `false` if a test answers in place of the database. */
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
    // Has no effect on an existing queue.
    await this.boss.createQueue(name, { ...options, policy })
    await this.boss.updateQueue(name, options)
  }

  /** Sends a job, and returns its id; `null` if its policy or its id prevents it. */
  async send(name: string, envelope: Envelope, options: SendOptions): Promise<string | null> {
    if (!this.isReal) return randomUUID()
    return await this.database.join((db) => this.boss.send(name, envelope, { ...options, db }))
  }

  /** @throws LostClaimError */
  async complete(job: JobWithMetadata): Promise<void> {
    const run = async (db: Db) => this.boss.complete(job.name, job, undefined, { db })
    await this.database.join(async (db) => assertOne(await run(db), job))
  }

  /** Records a failure. The job runs again later if it has runs left. */
  async fail(job: JobWithMetadata, error: unknown): Promise<void> {
    await this.database.join((db) => this.boss.fail(job.name, job, outputOf(error), { db }))
  }

  /** Marks a job as dead, even if it has runs left. */
  async bury(job: JobWithMetadata, error: unknown): Promise<void> {
    const { name, id } = job
    await this.#release(job, async (db) => {
      await this.boss.update(name, undefined, { id, retryLimit: 0, db })
      await this.boss.fail(name, id, outputOf(error), { db })
    })
  }

  /** Returns a job that has not run: this run does not count. */
  async giveBack(job: JobWithMetadata, startAfter = 0): Promise<void> {
    const change = { id: job.id, retryLimit: job.retryLimit + 1, startAfter }
    await this.#release(job, (db) => this.boss.update(job.name, undefined, { ...change, db }))
  }

  /** Makes a waiting job run, and changes it in the same transaction. */
  async #release(job: JobWithMetadata, change: (db: Db) => Promise<unknown>): Promise<void> {
    await this.database.join(async (db) => {
      assertOne(await this.boss.cancel(job.name, job, { db }), job)
      await this.boss.resume(job.name, job.id, { db })
      await change(db)
    })
  }
}

/** pg-boss has no type for the number of jobs that a command has changed. */
function assertOne(response: { readonly affected?: number }, job: JobWithMetadata): void {
  if (response.affected !== 1) throw new LostClaimError(job)
}

/** The reason of a failure, for lists of jobs. Stacks are only in the log. */
function outputOf(error: unknown): Pick<Error, 'name' | 'message'> {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  return { name, message }
}

/** The parts of an application that its jobs need. They exist after the start. */
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
  /** Called after the commit of a job that was sent. */
  readonly onSent: (sent: SentJob) => void
}
