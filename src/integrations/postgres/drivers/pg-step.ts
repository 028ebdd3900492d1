import type { Field, QueryResult, SessionStatement } from '../driver.js'
import { isRefusal } from '../postgres-error.js'
import { noteRefused } from '../refused-statement.js'
import type { Written } from '../values/write-value.js'
import { writeValues } from '../values/write-values.js'
import { skipped } from './failures.js'
import type { PgWire } from './pg-package.js'
import { readResult } from './read-rows.js'

/** One statement of a flight, and its result. */
export class PgStep {
  readonly promise: Promise<QueryResult>
  readonly isSimple: boolean
  readonly #statement: SessionStatement
  readonly #values: readonly Written[]
  #resolve!: (result: QueryResult) => void
  #reject!: (error: Error) => void
  #fields: readonly Field[] = []
  readonly #rows: (readonly (string | null)[])[] = []
  #command = ''
  #rowCount = 0

  /**
   * @param isSimple Whether to send it by the simple protocol: one message instead of four. Only for
   * texts that contain no user input: the simple protocol would run a second statement that an
   * injection has put after a semicolon.
   * @throws PostgresError for a statement that cannot be sent.
   */
  constructor(statement: SessionStatement, isSimple: boolean) {
    this.#statement = statement
    this.isSimple = isSimple
    this.#values = isSimple ? [] : writeValues(statement)
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  write(wire: PgWire): void {
    const { text, hasNoReader } = this.#statement
    if (this.isSimple) return wire.query(text)
    wire.parse({ text })
    wire.bind({ values: this.#values })
    if (hasNoReader !== true) wire.describe({ type: 'P' })
    wire.execute()
  }

  /** The columns of the rows that follow. */
  describe(fields: readonly Field[]): void {
    this.#fields = fields
  }

  addRow(values: readonly (string | null)[]): void {
    if (this.#statement.hasNoReader !== true) this.#rows.push(values)
  }

  /** @param tag The command, and how many rows it has returned or changed: `INSERT 0 3`. */
  complete(tag: string): void {
    const end = tag.indexOf(' ')
    this.#command = end < 0 ? tag : tag.slice(0, end)
    this.#rowCount = end < 0 ? 0 : Number(tag.slice(tag.lastIndexOf(' ') + 1)) || 0
  }

  /** Resolves the promise; rejects it when a value could not be read. */
  settle(explain: Explain): void {
    const [rows, fields, rowCount, command] = [
      this.#rows,
      this.#fields,
      this.#rowCount,
      this.#command,
    ]
    try {
      this.#resolve(readResult({ rows, fields, rowCount, command }, this.#statement))
    } catch (error) {
      this.fail(error, explain)
    }
  }

  fail(error: unknown, explain: Explain): void {
    this.#reject(noteRefused(explain(error), this.#statement))
  }

  /** Rejects the promise, because an earlier statement of the flight has failed. */
  skip(cause: unknown, explain: Explain): void {
    const failure = explain(cause)
    this.#reject(noteRefused(isRefusal(failure) ? skipped() : failure, this.#statement))
  }
}

/** Converts an error of `pg` to the error that callers get. */
export type Explain = (error: unknown) => Error
