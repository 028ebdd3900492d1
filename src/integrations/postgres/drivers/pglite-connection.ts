import type { Connection, QueryResult, Statement } from '../driver.js'
import { checkText, writeValues } from '../values/write-values.js'
import { failureOf, unavailable } from './failures.js'
import type { PgliteEngine } from './pglite-engine.js'
import { readResult } from './read-rows.js'

/** The connection of a PGlite, lent: it lives on when it is destroyed, so it is cleaned instead. */
export class PgliteConnection implements Connection {
  readonly #engine: PgliteEngine
  readonly #end: () => void
  #isLent = true
  /** The statement that was sent last. Never rejects. */
  #last: Promise<unknown> = Promise.resolve()
  #pending = 0

  /** @param end Called once, when the next one may have it. */
  constructor(engine: PgliteEngine, end: () => void) {
    this.#engine = engine
    this.#end = end
  }

  async query(statement: Statement): Promise<QueryResult> {
    const values = writeValues(statement)
    const result = await this.#enqueue(() => this.#engine.query(statement.text, values))
    return readResult(result, statement)
  }

  async script(text: string): Promise<void> {
    checkText(text)
    await this.#enqueue(() => this.#engine.script(text))
  }

  release(): void {
    if (!this.#isLent) return
    if (this.#pending > 0 || this.#engine.isInTransaction) return this.destroy()
    this.#isLent = false
    this.#end()
  }

  destroy(): void {
    if (!this.#isLent) return
    this.#isLent = false
    // Where that fails the engine has crashed, and whoever comes next is told.
    this.#last = this.#last
      .then(() => this.#engine.reset())
      .catch(() => undefined)
      .finally(this.#end)
  }

  async #enqueue<T>(run: () => Promise<T>): Promise<T> {
    this.#assertLent()
    this.#pending++
    const turn = this.#last.then(() => this.#run(run))
    this.#last = turn.catch(() => undefined)
    try {
      return await turn
    } catch (error) {
      throw failureOf(error)
    } finally {
      this.#pending--
    }
  }

  async #run<T>(run: () => Promise<T>): Promise<T> {
    this.#assertLent()
    return await run()
  }

  #assertLent(): void {
    if (!this.#isLent) throw unavailable(new Error('The connection was given back, or destroyed.'))
  }
}
