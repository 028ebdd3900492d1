import { HttpError } from '../../../index.js'
import { Deadline } from '../drivers/deadline.js'

/** Counts the statements of one transaction, to detect whether the transaction makes progress. */
export class Activity {
  readonly #idleMs: number
  #begun = 0
  #underWay = 0

  /** @param idleMs The time without a statement, in milliseconds, after which PostgreSQL ends the transaction. */
  constructor(idleMs: number) {
    this.#idleMs = idleMs
  }

  get isBusy(): boolean {
    return this.#underWay > 0
  }

  /** Reports that a statement is about to be sent. Call {@link end} when its promise has settled. */
  begin(): void {
    this.#begun++
    this.#underWay++
  }

  end(): void {
    this.#underWay--
  }

  /**
   * Waits for a nested transaction. `part` never rejects. The wait has a limit, because a nested transaction that waits
   * for its own outer transaction, or never settles, would never end.
   *
   * @throws HttpError 503 `DATABASE_TIMEOUT` if no statement has run for `idleMs`.
   */
  wait(part: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      let seen = this.#begun
      const deadline = new Deadline(this.#idleMs, () => {
        if (!this.isBusy && seen === this.#begun) return reject(stuck())
        seen = this.#begun
        deadline.restart()
      })
      void part.then(() => {
        deadline.cancel()
        resolve()
      })
    })
  }
}

function stuck(): Error {
  const cause = new Error(
    'The transaction is waiting for a nested transaction that sends no statement. The nested transaction is waiting for something else, possibly for a statement that in turn waits for the nested transaction. Await every nested transaction, and run the statements for which it waits in the nested transaction itself.',
  )
  return new HttpError(503, 'The transaction is stuck.', { code: 'DATABASE_TIMEOUT', cause })
}
