import { HttpError } from '../../../index.js'
import type { Connection, QueryResult, Statement } from '../driver.js'
import { IN_FAILED, isRefusal, PostgresError, UnsavedError } from '../postgres-error.js'
import { classifyStatement } from '../statement-text.js'
import type { Activity } from './activity.js'
import { type Conclusion, type Send, type Settings, TransactionStart } from './transaction-start.js'

/** The settings to apply before a nested transaction, and the settings to restore after it. */
export interface Change {
  readonly enter: Settings
  readonly leave: Settings
}

const OVER =
  'The transaction ended before this statement was sent. Await every query of the transaction.'
const NOT_ROLLED_BACK =
  'Nothing was saved: a nested transaction failed, and it could not be rolled back separately.'
const REFUSED =
  'Nothing was saved: PostgreSQL refused a statement of the transaction, and the program caught the error. Put a statement that can be refused into a nested db.transaction(), which is rolled back separately.'

/** A function to run after the commit. */
export type Task = () => unknown

/**
 * A transaction, or a part of one (a nested transaction) that can be rolled back separately. While a part is running,
 * statements of the outer block wait, because on the same connection they would become statements of the part.
 */
export abstract class Block {
  protected isOver = false
  /** The number of enclosing blocks. */
  protected readonly depth: number = 0
  protected readonly activity: Activity
  readonly #tasks: Task[] = []
  #part: Promise<void> | undefined

  constructor(activity: Activity) {
    this.activity = activity
  }

  /** Sends a statement without waiting for earlier statements. Rejects when the block has ended. */
  protected abstract send(statement: Statement): Promise<QueryResult>

  /** Marks the whole transaction as failed because its state is unknown. */
  protected abstract abort(cause: unknown): void

  /**
   * Runs a statement.
   *
   * @throws Error if the block has ended; the errors of {@link Connection.query}.
   */
  query(statement: Statement): Promise<QueryResult> {
    return this.#part === undefined ? this.send(statement) : this.#queryLater(statement)
  }

  async #queryLater(statement: Statement): Promise<QueryResult> {
    await this.idle()
    return await this.send(statement)
  }

  /** Runs a part in a savepoint. If the part throws, it is rolled back and its error is rethrown. */
  async nest<T>(run: (part: Block) => Promise<T>, change?: Change): Promise<T> {
    while (this.#part !== undefined) await this.activity.wait(this.#part)
    this.assertOpen()
    const send: Send = (statement) => this.send(statement)
    const abort = (cause: unknown) => this.abort(cause)
    const part = new Part({ send, abort, depth: this.depth + 1 }, this.activity)
    const running = part.run(run, change).then((value) => {
      this.#tasks.push(...part.takeTasks())
      return value
    })
    this.#part = running.then(noop, noop).then(() => {
      this.#part = undefined
    })
    return running
  }

  /** Registers a function to run after the commit. A rollback of this block discards it. */
  afterCommit(task: Task): void {
    this.assertOpen()
    this.#tasks.push(task)
  }

  /** Removes and returns the registered functions, in order. The caller must run them. */
  takeTasks(): Task[] {
    return this.#tasks.splice(0)
  }

  /** Waits for parts that the application did not await. */
  protected async idle(): Promise<void> {
    while (this.#part !== undefined) await this.activity.wait(this.#part)
  }

  protected get overError(): Error | undefined {
    return this.isOver ? new OverError(OVER) : undefined
  }

  protected assertOpen(): void {
    const { overError } = this
    if (overError !== undefined) throw overError
  }
}

function noop(): void {}

/** The error for a statement that was sent after the end of its block. */
class OverError extends Error {}

interface Outside {
  readonly send: Send
  readonly abort: (cause: unknown) => void
  readonly depth: number
}

class Part extends Block {
  protected override readonly depth: number
  readonly #outside: Outside
  readonly #savepoint: string

  constructor(outside: Outside, activity: Activity) {
    super(activity)
    this.#outside = outside
    this.depth = outside.depth
    this.#savepoint = `part_${this.depth}`
  }

  protected override async send(statement: Statement): Promise<QueryResult> {
    this.assertOpen()
    return await this.#outside.send(statement)
  }

  protected override abort(cause: unknown): void {
    this.#outside.abort(cause)
  }

  async run<T>(fn: (part: Block) => Promise<T>, change: Change | undefined): Promise<T> {
    const { send } = this.#outside
    await send({ text: `SAVEPOINT ${this.#savepoint}` })
    try {
      await this.#set(change?.enter)
      const value = await fn(this)
      await this.idle()
      this.isOver = true
      await this.#set(change?.leave)
      await send({ text: `RELEASE SAVEPOINT ${this.#savepoint}` })
      return value
    } catch (error) {
      // If a nested transaction does not end in time, it is rolled back together with this one.
      await this.idle().catch(noop)
      this.isOver = true
      await this.#undo()
      throw error
    }
  }

  async #set(settings: Settings | undefined): Promise<void> {
    if (settings === undefined) return
    await this.#outside.send(settings.statement).catch((error) => {
      throw settings.explain(error)
    })
  }

  /** Rolls back to the savepoint. PostgreSQL also restores the settings that were changed since. */
  async #undo(): Promise<void> {
    const { send, abort } = this.#outside
    try {
      await send({ text: `ROLLBACK TO SAVEPOINT ${this.#savepoint}` })
      await send({ text: `RELEASE SAVEPOINT ${this.#savepoint}` })
    } catch (error) {
      // After an `OverError`, the outer transaction has ended and was rolled back as a whole. After any other error,
      // the changes and the savepoint may still exist, and a later part at the same depth would roll back to that
      // savepoint. So the whole transaction is ended.
      if (!(error instanceof OverError)) abort(error)
    }
  }
}

/** A whole transaction on its own connection. */
export class Transaction extends Block {
  readonly #connection: Connection
  readonly #start: TransactionStart
  /** The error of the last refused statement. */
  #refusal: PostgresError | undefined
  #abortError: Error | undefined
  #mayHaveWritten = false

  /** Begins the transaction. `BEGIN` is sent in the same flight as the first statement. */
  constructor(connection: Connection, settings: Settings, activity: Activity) {
    super(activity)
    this.#connection = connection
    this.#start = new TransactionStart(connection, settings)
  }

  protected override send(statement: Statement): Promise<QueryResult> {
    const error = this.overError ?? this.#abortError
    if (error !== undefined) return Promise.reject(error)
    this.#mayHaveWritten ||= !classifyStatement(statement.text).reads
    return this.#transmit(statement)
  }

  protected override abort(cause: unknown): void {
    this.#abortError ??= HttpError.is(cause) ? cause : new Error(NOT_ROLLED_BACK, { cause })
  }

  async #transmit(sent: Statement | Conclusion): Promise<QueryResult> {
    this.activity.begin()
    try {
      return await (typeof sent === 'string' ? this.#start.conclude(sent) : this.#start.send(sent))
    } catch (error) {
      return this.#explain(error)
    } finally {
      this.activity.end()
    }
  }

  /**
   * PostgreSQL refuses every statement after a refused statement (SQLSTATE 25P02), so the earlier refusal is added as
   * the cause.
   */
  #explain(error: unknown): never {
    if (!(error instanceof PostgresError)) throw error
    if (error.code === IN_FAILED) throw new PostgresError(REFUSED, error, { cause: this.#refusal })
    this.#refusal = error
    throw error
  }

  /**
   * Commits and releases the connection. Has no effect if the block has ended.
   *
   * @throws HttpError 503 `COMMIT_UNKNOWN` if the connection was lost before the server responded, unless all
   * statements only read; `PostgresError` if the server refuses, for example because of a deferred constraint; `Error`
   * if an earlier statement was refused and the application ignored the error, or if a nested transaction could not be
   * rolled back.
   */
  async commit(): Promise<void> {
    await this.#assertIdle()
    if (this.isOver) return
    this.isOver = true
    if (this.#abortError !== undefined) {
      this.#connection.destroy()
      throw this.#abortError
    }
    // If the connection was already lost, the server never received `COMMIT`.
    const isKnown = this.#connection.isLost || !this.#mayHaveWritten
    let result: QueryResult
    try {
      result = await this.#transmit('COMMIT')
    } catch (error) {
      return await this.#giveUp(error, isKnown)
    }
    this.#connection.release()
    assertCommitted(result, this.#refusal)
  }

  /**
   * Rolls back and releases the connection. A busy connection is destroyed instead. Never rejects.
   */
  async rollback(): Promise<void> {
    if (this.isOver) return
    this.isOver = true
    // The result of a running statement is not needed, so the connection is destroyed.
    if (this.activity.isBusy || this.#abortError !== undefined) return this.#connection.destroy()
    await this.#undo()
  }

  async #assertIdle(): Promise<void> {
    try {
      await this.idle()
    } catch (error) {
      await this.rollback()
      throw error
    }
  }

  async #undo(): Promise<void> {
    try {
      await this.#transmit('ROLLBACK')
      this.#connection.release()
    } catch {
      this.#connection.destroy()
    }
  }

  async #giveUp(error: unknown, isKnown: boolean): Promise<never> {
    // A server that rejects `COMMIT` has rolled back, but its error arrives before it is ready again. The response to
    // an additional `ROLLBACK` shows that the server is ready.
    if (isRefusal(error)) await this.#undo()
    else this.#connection.destroy()
    const isUnknown = HttpError.is(error) && !isRefusal(error) && !isKnown
    throw isUnknown ? commitUnknown(error) : error
  }
}

/**
 * Checks the result of `COMMIT`.
 *
 * @throws Error if it was a rollback, which PostgreSQL does not report as an error.
 */
export function assertCommitted({ command }: QueryResult, cause?: unknown): void {
  if (command !== 'COMMIT') throw new UnsavedError(REFUSED, { cause })
}

/** Creates the error for a commit whose outcome is unknown. */
export function commitUnknown(cause: unknown): HttpError {
  const code = 'COMMIT_UNKNOWN'
  return new HttpError(503, 'It is unknown whether the changes were saved', { code, cause })
}
