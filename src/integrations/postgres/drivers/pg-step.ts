import type { Field, QueryResult, SessionStatement } from '../driver.js'
import { isRefusal } from '../postgres-error.js'
import { noteRefused } from '../refused-statement.js'
import type { Reader } from '../values/read-array.js'
import { readersFor } from '../values/read-value.js'
import type { Written } from '../values/write-value.js'
import { writeValues } from '../values/write-values.js'
import { skipped } from './failures.js'
import type { MessageWriter } from './message-writer.js'

type Row = Record<string, unknown>

/** One statement of a flight, and its result. */
export class PgStep {
  readonly promise: Promise<QueryResult>
  readonly isSimple: boolean
  readonly #statement: SessionStatement
  readonly #values: readonly Written[]
  #resolve!: (result: QueryResult) => void
  #reject!: (error: Error) => void
  #fields: readonly Field[] = []
  #readers: readonly Reader[] = []
  /** An object with all columns. Copying it is faster than adding one property after the other. */
  #template: Row = {}
  #rows: Row[] = []
  #command = ''
  #rowCount = 0
  #readError: Error | undefined

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

  write(writer: MessageWriter): void {
    const { text, hasNoReader } = this.#statement
    if (this.isSimple) return writer.query(text)
    writer.statement(text, this.#values)
    if (hasNoReader === true) writer.execute()
    else writer.describeAndExecute()
  }

  /** The columns of the rows that follow. */
  describe(fields: readonly Field[]): void {
    const readerOf = readersFor(this.#statement)
    this.#fields = fields
    this.#readers = fields.map(({ dataTypeID }) => readerOf(dataTypeID))
    // `fromEntries` defines properties, so a column named `__proto__` stays a column.
    this.#template = Object.fromEntries(fields.map(({ name }) => [name, null]))
  }

  addRow(values: readonly (string | null)[]): void {
    if (this.#readError !== undefined || this.#statement.hasNoReader === true) return
    try {
      this.#rows.push(this.#statement.rowMode === 'array' ? this.#list(values) : this.#name(values))
    } catch (error) {
      this.#readError = error as Error
    }
  }

  /** @param tag The command, and how many rows it has returned or changed: `INSERT 0 3`. */
  complete(tag: string): void {
    const end = tag.indexOf(' ')
    this.#command = end < 0 ? tag : tag.slice(0, end)
    this.#rowCount = end < 0 ? 0 : Number(tag.slice(tag.lastIndexOf(' ') + 1)) || 0
  }

  /** Resolves the promise; rejects it when a value could not be read. */
  settle(explain: Explain): void {
    if (this.#readError !== undefined) return this.fail(this.#readError, explain)
    const [rows, rowCount, command, fields] = [
      this.#rows,
      this.#rowCount,
      this.#command,
      this.#fields,
    ]
    this.#resolve({ rows, rowCount, command, fields })
  }

  fail(error: unknown, explain: Explain): void {
    this.#reject(noteRefused(explain(error), this.#statement))
  }

  /** Rejects the promise, because an earlier statement of the flight has failed. */
  skip(cause: unknown, explain: Explain): void {
    const failure = explain(cause)
    this.#reject(noteRefused(isRefusal(failure) ? skipped() : failure, this.#statement))
  }

  #list(values: readonly (string | null)[]): Row {
    // The type of rows depends on `rowMode`, which is known only when the statement is sent.
    return values.map((value, index) => this.#read(value, index)) as unknown as Row
  }

  #name(values: readonly (string | null)[]): Row {
    const row = { ...this.#template }
    for (let index = 0; index < values.length; index++) {
      const { name } = this.#fields[index] as Field
      row[name] = this.#read(values[index] as string | null, index)
    }
    return row
  }

  #read(value: string | null, index: number): unknown {
    return value === null ? null : this.#readers[index]?.(value)
  }
}

/** Converts an error of `pg` to the one that callers get. */
export type Explain = (error: unknown) => Error
