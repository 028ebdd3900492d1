import type { Connection, QueryResult, Statement } from './driver.js'
import { failureOf, unavailable } from './failures.js'
import type { Pglite } from './pglite-package.js'
import { readResult } from './read-rows.js'
import { checkText, writeValues } from './write-values.js'

/** The connection of a PGlite, lent: it lives on when it is destroyed, so it is cleaned instead. */
export class PgliteConnection implements Connection {
  readonly #database: Pglite
  readonly #end: () => void
  #isLent = true
  /** The statement that was sent last. Never rejects. */
  #last: Promise<unknown> = Promise.resolve()
  #pending = 0

  /** @param end Called once, when the next one may have it. */
  constructor(database: Pglite, end: () => void) {
    this.#database = database
    this.#end = end
  }

  async query(statement: Statement): Promise<QueryResult> {
    const values = writeValues(statement)
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
    if (this.#pending > 0 || this.#database.isInTransaction()) return this.destroy()
    this.#isLent = false
    this.#end()
  }

  destroy(): void {
    if (!this.#isLent) return
    this.#isLent = false
    this.#last = this.#last.then(() => this.#clean()).finally(this.#end)
  }

  // What a new connection would not have either: a transaction, settings, a role, temporary tables.
  async #clean(): Promise<void> {
    if (this.#database.isInTransaction()) await this.#database.exec('ROLLBACK')
    await this.#database.exec('DISCARD ALL')
  }

  async #enqueue<T>(run: () => Promise<T>): Promise<T> {
    if (!this.#isLent) throw unavailable(new Error('The connection was given back already.'))
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
    if (!this.#isLent) throw new Error('The connection was destroyed.')
    return await run()
  }
}
