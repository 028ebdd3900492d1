import type { Field, QueryResult, SessionStatement } from '../driver.js'
import { isRefusal } from '../postgres-error.js'
import { noteRefused } from '../refused-statement.js'
import { readResult } from '../values/read-value.js'
import { type Written, writeValues } from '../values/write-values.js'
import { skipped } from './failures.js'
import type { PgFlight, PgPackage, PgWire } from './pg-package.js'

/** The class that creates flights for a `pg` client. */
export type FlightClass = new (steps: readonly PgStep[], hooks: FlightHooks) => PgFlight

export interface FlightHooks {
  /** The flight calls this before it writes the first message. */
  readonly onWrite: () => void
  /** The flight calls this if it could not write a message. */
  readonly onUnwritten: (error: Error) => void
  /** The flight calls this after each response. The time limit of the next statement begins at that point. */
  readonly onStep: () => void
  readonly onEnd: () => void
  readonly explain: Explain
}

const WITHOUT_RESPONSE =
  'The server was ready for the next statement, but had not responded to this one.'

/**
 * A flight has one `Sync`, at its end. After a refused statement, PostgreSQL skips all messages up to that `Sync`
 * (documentation, 55.2.3). Separate queries would have one `Sync` each, so the server would run the second query even
 * after the first was cancelled. To the `pg` client, a flight is a single query, which forwards each message to the
 * current step.
 */
class FlightQuery implements PgFlight {
  readonly #steps: readonly PgStep[]
  readonly #hooks: FlightHooks
  #at = 0
  /** `pg` replaces this function when the option `query_timeout` is set. */
  callback: () => void

  constructor(steps: readonly PgStep[], hooks: FlightHooks) {
    this.#steps = steps
    this.#hooks = hooks
    this.callback = hooks.onEnd
  }

  submit(wire: PgWire): null {
    this.#hooks.onWrite()
    try {
      for (const step of this.#steps) step.write(wire)
      // A command in the simple protocol is its own `Sync`.
      if (this.#steps[0]?.isSimple !== true) wire.sync()
    } catch (error) {
      this.#hooks.onUnwritten(error as Error)
    }
    return null
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#steps[this.#at]?.describe(fields)
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.#steps[this.#at]?.addRow(fields)
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#steps[this.#at++]?.complete(text)
    this.#hooks.onStep()
  }

  handleEmptyQuery(): void {
    this.#at++
    this.#hooks.onStep()
  }

  handleError(error: Error): void {
    const { explain } = this.#hooks
    // Without `BEGIN`, the server commits at the `Sync`. An error at that point, such as a violated deferred
    // constraint, arrives after the responses to all statements.
    const failed = Math.min(this.#at, this.#steps.length - 1)
    this.#takeSteps().forEach((step, index) => {
      if (index < failed) step.settle(explain)
      else if (index === failed) step.fail(error, explain)
      else step.skip(error, explain)
    })
    this.callback()
  }

  handleReadyForQuery(): void {
    const { explain } = this.#hooks
    const answered = this.#at
    // A server responds to every statement, but a pooler may not. Without this error, the caller would then wait
    // forever.
    this.#takeSteps().forEach((step, index) => {
      if (index < answered) step.settle(explain)
      else step.fail(new Error(WITHOUT_RESPONSE), explain)
    })
    this.callback()
  }

  /** Removes and returns the steps, so that each step is notified once. */
  #takeSteps(): readonly PgStep[] {
    const steps = this.#at < 0 ? [] : this.#steps
    this.#at = -1
    return steps
  }
}

/**
 * Returns the flight class for a copy of `pg`. In pipeline mode, `pg` accepts only instances of its own `Query`. The
 * constructor of `Query` creates an emitter and a result, which a flight does not use. So a flight inherits from the
 * prototype of `Query` without calling the constructor.
 */
export function flightOf({ Query }: Pick<PgPackage, 'Query'>): FlightClass {
  class Flight extends FlightQuery {}
  const own = Object.getOwnPropertyDescriptors(FlightQuery.prototype)
  Object.setPrototypeOf(Flight.prototype, Object.create(Query.prototype, own))
  return Flight
}

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
   * @param isSimple Whether to send the statement with the simple protocol: one message instead of five. Use it only
   * for statements without user input, because the simple protocol would run a second statement injected after a
   * semicolon.
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

  /** Receives the columns of the rows that follow. */
  describe(fields: readonly Field[]): void {
    this.#fields = fields
  }

  addRow(values: readonly (string | null)[]): void {
    if (this.#statement.hasNoReader !== true) this.#rows.push(values)
  }

  /** @param tag The command, and the number of returned or changed rows, such as `INSERT 0 3`. */
  complete(tag: string): void {
    const end = tag.indexOf(' ')
    this.#command = end < 0 ? tag : tag.slice(0, end)
    this.#rowCount = end < 0 ? 0 : Number(tag.slice(tag.lastIndexOf(' ') + 1)) || 0
  }

  /** Resolves the promise, or rejects it if a value could not be read. */
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

  /** Rejects the promise because an earlier statement of the flight has failed. */
  skip(cause: unknown, explain: Explain): void {
    const failure = explain(cause)
    this.#reject(noteRefused(isRefusal(failure) ? skipped() : failure, this.#statement))
  }
}

/** Converts an error from `pg` to the error that callers receive. */
type Explain = (error: unknown) => Error
