import type { Connection, QueryResult, Statement } from '../driver.js'
import type { Settings } from './session-settings.js'

/** What waits for the transaction to have begun. */
interface Waiter {
  readonly send: () => void
  readonly refuse: (error: unknown) => void
}

/** A statement that goes in the flight of the beginning. */
interface Passenger extends Waiter {
  readonly statement: Statement
  readonly resolve: (answer: QueryResult | PromiseLike<QueryResult>) => void
}

/**
 * How a transaction begins: in one flight with its settings and the statements of the same moment, none of which is run where it could not begin. What comes while that
 * is under way waits for its answer, so that no statement is ever sent on its own before its transaction has begun.
 */
export class Departure {
  readonly #connection: Connection
  readonly #settings: Settings
  #passengers: Passenger[] | null = []
  readonly #waiters: Waiter[] = []
  #state: 'waiting' | 'begun' | 'failed' = 'waiting'
  #failure: unknown

  constructor(connection: Connection, settings: Settings) {
    this.#connection = connection
    this.#settings = settings
    // Behind all that the code does without waiting.
    process.nextTick(() => this.#depart())
  }

  /** Sends a statement in its turn. Where the transaction could not begin, it rejects with the reason. */
  send(statement: Statement): Promise<QueryResult> {
    if (this.#state === 'begun') return this.#connection.query(statement)
    if (this.#state === 'failed') return Promise.reject(this.#failure)
    return new Promise((resolve, refuse) => {
      const send = () => resolve(this.#connection.query(statement))
      if (this.#passengers === null) this.#waiters.push({ send, refuse })
      else this.#passengers.push({ statement, resolve, send, refuse })
    })
  }

  /** Sends what ends the transaction, in its turn. It is rolled back also where it could not begin: nobody knows how far that has come. */
  conclude(text: 'COMMIT' | 'ROLLBACK'): Promise<QueryResult> {
    if (this.#state === 'failed' && text === 'COMMIT') return Promise.reject(this.#failure)
    if (this.#state !== 'waiting') return this.#connection.query({ text })
    return new Promise((resolve, reject) => {
      const send = () => resolve(this.#connection.query({ text }))
      this.#depart()
      this.#waiters.push({ send, refuse: text === 'COMMIT' ? reject : send })
    })
  }

  #depart(): void {
    const passengers = this.#passengers
    if (passengers === null) return
    this.#passengers = null
    const statements = passengers.map(({ statement }) => statement)
    const flight = [{ text: 'BEGIN' }, this.#settings.statement, ...statements]
    const [begun, set, ...answers] = this.#connection.fly(flight)
    const explained = set?.catch((error) => {
      throw this.#settings.explain(error)
    })
    explained?.catch(() => undefined)
    void Promise.resolve(begun)
      .then(() => explained)
      .then(() => this.#begin(passengers, answers))
      .catch((error) => this.#fail(passengers, error))
  }

  #begin(passengers: readonly Passenger[], answers: readonly Promise<QueryResult>[]): void {
    this.#state = 'begun'
    for (const [index, { resolve }] of passengers.entries()) {
      resolve(answers[index] as Promise<QueryResult>)
    }
    for (const { send } of this.#waiters.splice(0)) send()
  }

  #fail(passengers: readonly Passenger[], error: unknown): void {
    this.#state = 'failed'
    this.#failure = error
    for (const { refuse } of [...passengers, ...this.#waiters.splice(0)]) refuse(error)
  }
}
