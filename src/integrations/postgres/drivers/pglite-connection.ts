import type { Connection, QueryResult, SessionStatement, Statement } from '../driver.js'
import { noteRefused } from '../refused-statement.js'
import { classifyStatement } from '../statement-text.js'
import { readResult } from '../values/read-value.js'
import { checkText, writeValues } from '../values/write-values.js'
import { Deadline } from './deadline.js'
import { failureOf, skipped, unavailable } from './failures.js'
import type { EmbeddedEngine, PgliteResult } from './pglite-package.js'

/** The configuration that a checked-out connection gets from its driver. */
export interface PgliteLoan {
  /**
   * The number of milliseconds without a statement after which an open transaction is ended. PGlite itself has no such
   * limit.
   */
  readonly idleMs: number
  /** The connection calls this once, when it can be checked out again. */
  readonly end: () => void
}

/**
 * The only connection of a PGlite database, checked out by one user. It cannot be closed separately, so `destroy`
 * resets it instead.
 */
export class PgliteConnection implements Connection {
  readonly #engine: EmbeddedEngine
  readonly #loan: PgliteLoan
  #isLent = true
  /** The last statement that was sent. Never rejects. */
  #last: Promise<unknown> = Promise.resolve()
  #pending = 0
  #hasTraces = false
  #idle: Deadline | undefined

  constructor(engine: EmbeddedEngine, loan: PgliteLoan) {
    this.#engine = engine
    this.#loan = loan
  }

  async query(statement: Statement): Promise<QueryResult> {
    const run = this.#prepare(statement)
    try {
      return readResult(await this.#enqueue(run), statement)
    } catch (error) {
      throw noteRefused(error, statement)
    }
  }

  sendTogether(statements: readonly SessionStatement[]): Promise<QueryResult>[] {
    let isRefused = false
    const board = async (statement: SessionStatement): Promise<QueryResult> => {
      if (isRefused) throw skipped()
      try {
        const run = this.#prepare(statement)
        return readResult(await this.#enqueue(unlessRefused(run)), statement)
      } catch (error) {
        isRefused = true
        throw noteRefused(error, statement)
      }
    }
    // `isRefused` is set here, because the next statement starts before the caller of this one receives the error.
    const unlessRefused = (run: () => Promise<PgliteResult>) => async () => {
      if (isRefused) throw skipped()
      return await run().catch((error) => {
        isRefused = true
        throw error
      })
    }
    const results = statements.map(board)
    for (const result of results) result.catch(() => undefined)
    return results
  }

  #prepare(statement: SessionStatement): () => Promise<PgliteResult> {
    const values = writeValues(statement)
    const isOwn = statement.hasNoReader === true
    this.#hasTraces ||= !isOwn && classifyStatement(statement.text).leaves !== 'nothing'
    return () => this.#engine.query(statement.text, values)
  }

  async script(text: string): Promise<void> {
    checkText(text)
    this.#hasTraces = true
    await this.#enqueue(() => this.#engine.script(text))
  }

  get isLost(): boolean {
    return !this.#isLent
  }

  release(): void {
    if (!this.#isLent) return
    const isClean = this.#pending === 0 && !this.#engine.isInTransaction
    if (!isClean || this.#hasTraces) return this.destroy()
    this.#isLent = false
    this.#idle?.cancel()
    this.#loan.end()
  }

  destroy(): void {
    if (!this.#isLent) return
    this.#isLent = false
    this.#idle?.cancel()
    // If the reset fails, the engine has crashed, and `connect` reports the crash to the next caller.
    this.#last = this.#last
      .then(() => this.#engine.reset())
      .catch(() => undefined)
      .finally(this.#loan.end)
  }

  async #enqueue<T>(run: () => Promise<T>): Promise<T> {
    this.#assertLent()
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
    if (!this.#isLent || this.#pending > 0 || !this.#engine.isInTransaction) return
    this.#idle = new Deadline(this.#loan.idleMs, () => this.destroy())
  }

  async #run<T>(run: () => Promise<T>): Promise<T> {
    this.#assertLent()
    return await run()
  }

  #assertLent(): void {
    if (!this.#isLent) throw unavailable(new Error('The connection was released or destroyed.'))
  }
}
