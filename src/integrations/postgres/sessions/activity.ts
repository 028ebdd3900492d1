import { refuse } from '../../../errors/refuse.js'
import { Deadline } from '../drivers/deadline.js'

/** What happens in a transaction, as far as it tells whether something still does. */
export class Activity {
  readonly #idleMs: number
  #begun = 0
  #underWay = 0

  /** @param idleMs How long nothing may happen. PostgreSQL then ends the transaction. */
  constructor(idleMs: number) {
    this.#idleMs = idleMs
  }

  get isBusy(): boolean {
    return this.#underWay > 0
  }

  /** Counts a statement until it is answered. */
  async count<T>(run: () => Promise<T>): Promise<T> {
    this.#begun++
    this.#underWay++
    try {
      return await run()
    } finally {
      this.#underWay--
    }
  }

  /**
   * Waits for a part, which never rejects. One that waits for who waits for it, or for nothing at all, would never end.
   *
   * @throws HttpError 503 `DATABASE_TIMEOUT` when nothing has happened for too long.
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
    'The transaction waits for a nested transaction that sends no statement. The nested transaction waits for something else, maybe for a statement that in turn waits for it. Await every nested transaction, and run inside it the statements that it needs.',
  )
  return refuse('DATABASE_TIMEOUT', 'The transaction is stuck.', {
    cause,
    stack: true,
  })
}
