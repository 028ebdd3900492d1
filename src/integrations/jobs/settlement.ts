import type { JobAttempt } from 'pg-boss'
import type { BossDatabase } from './boss-database.js'
import type { Boss } from './load-boss.js'

/** A job that this process has taken. A later run of it has another number, so this process cannot end that one. */
export interface Claim {
  readonly name: string
  readonly attempt: JobAttempt
  readonly retryLimit: number
}

/** The run does not have its job any more: it ran too long, or the application closes. Its effects must not be saved. */
export class LostClaimError extends Error {
  constructor({ name, attempt }: Claim) {
    super(`The job ${name} ${attempt.id} was given to another run. Nothing of this one was saved.`)
  }
}

/** Ends runs of jobs, with the functions of pg-boss. */
export class Settlement {
  readonly #boss: Boss
  readonly #database: BossDatabase

  constructor(boss: Boss, database: BossDatabase) {
    this.#boss = boss
    this.#database = database
  }

  /**
   * Completes a job in the transaction of the current code.
   *
   * @throws LostClaimError
   */
  async complete(claim: Claim): Promise<void> {
    await this.#database.join(async (db) => {
      assertOne(await this.#boss.complete(claim.name, claim.attempt, undefined, { db }), claim)
    })
  }

  /** Notes a failure. The job runs again later if it has runs left. */
  async fail({ name, attempt }: Claim, error: unknown): Promise<void> {
    await this.#database.join((db) => this.#boss.fail(name, attempt, outputOf(error), { db }))
  }

  /** Puts a job among the dead ones, whatever runs it has left. */
  async bury(claim: Claim, error: unknown): Promise<void> {
    await this.#release(claim, async (db) => {
      const { id } = claim.attempt
      await this.#boss.update(claim.name, undefined, { id, retryLimit: 0, db })
      await this.#boss.fail(claim.name, id, outputOf(error), { db })
    })
  }

  /** Gives a job back, which has not run: this run does not count. */
  async giveBack(claim: Claim, delaySeconds = 0): Promise<void> {
    await this.#release(claim, async (db) => {
      const retryLimit = claim.retryLimit + 1
      const options = { id: claim.attempt.id, retryLimit, startAfter: delaySeconds, db }
      await this.#boss.update(claim.name, undefined, options)
    })
  }

  /** Makes a job that runs one that waits, and changes it in the same transaction. */
  async #release(
    claim: Claim,
    change: (db: Parameters<Parameters<BossDatabase['join']>[0]>[0]) => Promise<void>,
  ): Promise<void> {
    await this.#database.join(async (db) => {
      assertOne(await this.#boss.cancel(claim.name, claim.attempt, { db }), claim)
      await this.#boss.resume(claim.name, claim.attempt.id, { db })
      await change(db)
    })
  }
}

/** pg-boss does not type the number of jobs that a command has changed. */
function assertOne(response: { readonly affected?: number }, claim: Claim): void {
  if (response.affected !== 1) throw new LostClaimError(claim)
}

/** The reason of a failure, as the lists of jobs show it. A stack belongs to the log. */
function outputOf(error: unknown): { readonly message: string; readonly name?: string } {
  if (!(error instanceof Error)) return { message: String(error) }
  return { name: error.name, message: error.message }
}
