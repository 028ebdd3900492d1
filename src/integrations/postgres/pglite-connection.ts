import { Deadline } from './deadline.js'
import type { Connection, QueryResult, Statement } from './driver.js'
import { failureOf, unavailable } from './failures.js'
import { leavesTraces } from './leaves-traces.js'
import type { Pglite } from './pglite-package.js'
import { readResult } from './read-rows.js'
import { checkText, writeValues } from './write-values.js'

/** What a lent connection needs to know of who lends it. */
export interface PgliteLoan {
  /** How long nothing may happen in a transaction, in milliseconds. No server is there that would count. */
  readonly idleMs: number
  /** Called once, when the next one may have it. */
  readonly end: () => void
}

/** The connection of a PGlite, lent: it lives on when it is destroyed, so it is cleaned instead. */
export class PgliteConnection implements Connection {
  readonly #database: Pglite
  readonly #loan: PgliteLoan
  #isLent = true
  /** The statement that was sent last. Never rejects. */
  #last: Promise<unknown> = Promise.resolve()
  #pending = 0
  #hasTraces = false
  #idle: Deadline | undefined

  constructor(database: Pglite, loan: PgliteLoan) {
    this.#database = database
    this.#loan = loan
  }

  async query(statement: Statement): Promise<QueryResult> {
    const values = writeValues(statement)
    this.#hasTraces ||= leavesTraces(statement.text)
    const result = await this.#enqueue(() =>
      this.#database.query(statement.text, values, { rowMode: 'array' }),
    )
    return readResult(result, statement)
  }

  async script(text: string): Promise<void> {
    checkText(text)
    await this.#enqueue(() => this.#database.exec(text))
  }

  release(): void {
    if (!this.#isLent) return
    const isClean = this.#pending === 0 && !this.#database.isInTransaction()
    if (!isClean || this.#hasTraces) return this.destroy()
    this.#isLent = false
    this.#idle?.cancel()
    this.#loan.end()
  }

  destroy(): void {
    if (!this.#isLent) return
    this.#isLent = false
    this.#idle?.cancel()
    this.#last = this.#last
      .then(() => this.#clean())
      .catch(() => undefined)
      .finally(this.#loan.end)
  }

  // What a new connection would not have either: a transaction, settings, a role, temporary tables.
  async #clean(): Promise<void> {
    if (this.#database.isInTransaction()) await this.#database.exec('ROLLBACK')
    await this.#database.exec('DISCARD ALL')
  }

  async #enqueue<T>(run: () => Promise<T>): Promise<T> {
    if (!this.#isLent) throw unavailable(new Error('The connection was given back already.'))
    this.#pending++
    this.#idle?.cancel()
    const turn = this.#last.then(() => this.#run(run))
    this.#last = turn.catch(() => undefined)
    try {
      return await turn
    } catch (error) {
      throw failureOf(error)
    } finally {
      this.#pending--
      this.#watch()
    }
  }

  #watch(): void {
    if (!this.#isLent || this.#pending > 0 || !this.#database.isInTransaction()) return
    this.#idle = new Deadline(this.#loan.idleMs, () => this.destroy())
  }

  async #run<T>(run: () => Promise<T>): Promise<T> {
    if (!this.#isLent) throw new Error('The connection was destroyed.')
    return await run()
  }
}
