import { HttpError } from '../../../index.js'
import type { AnsweredStatement, Statements } from '../../../plugin/index.js'
import type { Connection, Driver, QueryResult, Statement } from '../driver.js'
import { IN_FAILED, PostgresError } from '../postgres-error.js'

/** The number of connections, which is more than a single request uses at a time. */
const SIZE = 100

type Answer = () => AnsweredStatement

/**
 * A driver without a database, for tests that provide the results of the application's statements. Statements of the
 * package itself, such as `BEGIN`, return no rows.
 */
export class AnsweringDriver implements Driver {
  readonly size: number = SIZE
  readonly isEmbedded = false
  readonly #statements: Statements
  readonly #expected = new WeakMap<Statement, Answer>()

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** The answer is taken immediately, because code may await its statements in a different order. */
  readonly expect = (statement: Statement): void => {
    const { text, values = [] } = statement
    try {
      const answer = this.#statements.answer({ system: 'postgresql', text, values })
      this.#expected.set(statement, () => answer)
    } catch (error) {
      this.#expected.set(statement, () => {
        throw error
      })
    }
  }

  usage(): { lent: number; waiting: number } {
    return { lent: 0, waiting: 0 }
  }

  async open(): Promise<void> {}

  async connect(): Promise<Connection> {
    return new AnsweringConnection((statement) => this.#expected.get(statement))
  }

  async close(): Promise<void> {}
}

/** Like PostgreSQL, this connection runs no further statement in a transaction after a failed statement. */
class AnsweringConnection implements Connection {
  readonly isLost = false
  readonly #answerOf: (statement: Statement) => Answer | undefined
  #isInTransaction = false
  #hasFailed = false

  constructor(answerOf: (statement: Statement) => Answer | undefined) {
    this.#answerOf = answerOf
  }

  async query(statement: Statement): Promise<QueryResult> {
    const answer = this.#answerOf(statement)
    if (answer === undefined) return this.#control(statement.text)
    if (this.#hasFailed) throw inFailed()
    try {
      return resultOf(statement, answer())
    } catch (error) {
      this.#hasFailed = this.#isInTransaction
      throw error
    }
  }

  sendTogether(statements: readonly Statement[]): Promise<QueryResult>[] {
    return statements.map((each) => this.query(each))
  }

  async script(): Promise<void> {}

  release(): void {}

  destroy(): void {}

  #control(text: string): QueryResult {
    const command = commandOf(text)
    const had = this.#hasFailed
    if (command === 'BEGIN') this.#isInTransaction = true
    // `ROLLBACK` includes a rollback to a savepoint, after which the transaction continues.
    if (command === 'ROLLBACK' || command === 'COMMIT') this.#hasFailed = false
    if (command === 'COMMIT') this.#isInTransaction = false
    return { ...NOTHING, command: had && command === 'COMMIT' ? 'ROLLBACK' : command }
  }
}

const NOTHING: Omit<QueryResult, 'command'> = { rows: [], rowCount: 0, fields: [] }

/** @throws the error of the recorded result, like a database driver. */
function resultOf({ text }: Statement, { rows = [], rowCount, error }: AnsweredStatement) {
  if (error !== undefined) throw failureOf(error)
  const [first] = rows
  const names = Object.keys(Object(first))
  return {
    command: commandOf(text),
    // The answer already has the right row format: it was recorded from a driver with the same `rowMode`.
    rows: [...rows] as QueryResult['rows'],
    rowCount: rowCount ?? rows.length,
    fields: names.map((name) => ({ name, dataTypeID: 0 })),
  }
}

function failureOf({ message, status, ...fields }: NonNullable<AnsweredStatement['error']>): Error {
  const { code = 'XX000' } = fields
  if (status !== undefined) return new HttpError(status, message, { code })
  return new PostgresError(message, { ...fields, code })
}

function inFailed(): PostgresError {
  const message = 'current transaction is aborted, commands ignored until end of transaction block'
  return new PostgresError(message, { code: IN_FAILED })
}

function commandOf(text: string): string {
  return (/[a-z]+/i.exec(text)?.[0] ?? '').toUpperCase()
}
