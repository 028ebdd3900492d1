import type { Connection, QueryResult, SessionStatement, Statement } from '../driver.js'
import type { Settings } from './session-settings.js'
import type { Isolation } from './transaction-options.js'

/** A call that waits until the transaction has begun. */
interface Waiter {
  readonly send: () => void
  readonly refuse: (error: unknown) => void
}

/** The statement that ends a transaction. */
export type Conclusion = 'COMMIT' | 'ROLLBACK'

/** Its result is not read. */
export const BEGIN: SessionStatement = { text: 'BEGIN', hasNoReader: true }

/** Begins a transaction with an isolation level. */
export function beginAs(isolation: Isolation): SessionStatement {
  return { text: `BEGIN ISOLATION LEVEL ${isolation.toUpperCase()}`, hasNoReader: true }
}

/** A statement that is sent in the same flight as `BEGIN`. */
interface FirstStatement extends Pick<Waiter, 'refuse'> {
  readonly statement: Statement
  readonly resolve: (result: QueryResult) => void
}

/**
 * Begins a transaction. One flight holds `BEGIN`, the settings and the statements that were sent in the same tick, so
 * they do not run when the transaction could not begin. Statements that come while the flight is under way wait for its
 * result. No statement is ever sent before its transaction has begun.
 */
export class TransactionStart {
  readonly #connection: Connection
  readonly #settings: Settings
  #firstStatements: FirstStatement[] | null = []
  readonly #waiters: Waiter[] = []
  #state: 'waiting' | 'begun' | 'failed' = 'waiting'
  #failure: unknown

  constructor(connection: Connection, settings: Settings) {
    this.#connection = connection
    this.#settings = settings
    // Wait for the synchronous code that sends the first statements.
    process.nextTick(() => void this.#sendFlight())
  }

  /**
   * Sends a statement after the earlier ones. Rejects with the reason when the transaction could
   * not begin.
   */
  send(statement: Statement): Promise<QueryResult> {
    if (this.#state === 'begun') return this.#connection.query(statement)
    if (this.#state === 'failed') return Promise.reject(this.#failure)
    return new Promise((resolve, refuse) => {
      if (this.#firstStatements !== null)
        return void this.#firstStatements.push({ statement, resolve, refuse })
      const send = () => void this.#connection.query(statement).then(resolve, refuse)
      this.#waiters.push({ send, refuse })
    })
  }

  /**
   * Sends `COMMIT` or `ROLLBACK` after the earlier statements. `ROLLBACK` is sent even when the transaction could not
   * begin: the client cannot find out how much of the beginning the server has run.
   */
  conclude(text: Conclusion): Promise<QueryResult> {
    if (this.#state === 'failed' && text === 'COMMIT') return Promise.reject(this.#failure)
    if (this.#state !== 'waiting') return this.#connection.query({ text })
    return new Promise((resolve, reject) => {
      const send = () => void this.#connection.query({ text }).then(resolve, reject)
      void this.#sendFlight()
      this.#waiters.push({ send, refuse: text === 'COMMIT' ? reject : send })
    })
  }

  async #sendFlight(): Promise<void> {
    const first = this.#firstStatements
    if (first === null) return
    this.#firstStatements = null
    const statements = first.map(({ statement }) => statement)
    const { begin = BEGIN, statement } = this.#settings
    const flight = [begin, statement, ...statements]
    const [begun, set, ...results] = this.#connection.sendTogether(flight)
    let isBegun = false
    try {
      await begun
      isBegun = true
      await set
    } catch (error) {
      return this.#fail(first, isBegun ? this.#settings.explain(error) : error)
    }
    this.#begin(first, results)
  }

  #begin(first: readonly FirstStatement[], results: readonly Promise<QueryResult>[]): void {
    this.#state = 'begun'
    first.forEach(({ resolve, refuse }, index) => {
      void results[index]?.then(resolve, refuse)
    })
    for (const { send } of this.#waiters.splice(0)) send()
  }

  #fail(first: readonly FirstStatement[], error: unknown): void {
    this.#state = 'failed'
    this.#failure = error
    for (const { refuse } of [...first, ...this.#waiters.splice(0)]) refuse(error)
  }
}
