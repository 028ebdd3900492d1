import { codedError, HttpError } from '../../../errors/http-error.js'
import type { Connection, QueryResult, Statement } from '../driver.js'
import { isRefusal, PostgresError } from '../postgres-error.js'
import type { Activity } from './activity.js'
import type { ApplySettings, Send } from './session-settings.js'

/** What holds while a part of a transaction runs, and what holds again behind it. */
export interface Change {
  readonly enter: ApplySettings
  readonly leave: ApplySettings
}

const OVER =
  'The transaction is over, and a statement came after it: await every query that belongs to it.'
/** A statement in a transaction in which another one was refused. */
const IN_FAILED = '25P02'
const REFUSED =
  'Nothing was saved: a statement of the transaction had been refused, and its error was caught. Put what may be refused into db.transaction(), which undoes it alone.'

/** Something to be done later. */
export type Task = () => unknown

/**
 * A transaction, or a part of one that can be undone alone. While such a part runs, what the whole is asked waits for it: on one
 * connection, it would become part of it.
 */
export abstract class Block {
  protected isOver = false
  protected readonly activity: Activity
  readonly #tasks: Task[] = []
  #part: Promise<void> | undefined

  constructor(activity: Activity) {
    this.activity = activity
  }

  /** Sends a statement without waiting for those before it. */
  protected abstract send(statement: Statement): Promise<QueryResult>

  /** @throws Error when the block is over; what {@link Connection.query} throws. */
  async query(statement: Statement): Promise<QueryResult> {
    while (this.#part !== undefined) await this.activity.wait(this.#part)
    this.assertOpen()
    return this.send(statement)
  }

  /** Runs a part between savepoints: what throws undoes it. Throws what the part throws. */
  async nest<T>(run: (part: Block) => Promise<T>, change?: Change): Promise<T> {
    while (this.#part !== undefined) await this.activity.wait(this.#part)
    this.assertOpen()
    const part = new Part((statement) => this.send(statement), this.activity)
    const running = part.run(run, change).then((value) => {
      this.#tasks.push(...part.takeTasks())
      return value
    })
    this.#part = running.then(noop, noop).then(() => {
      this.#part = undefined
    })
    return running
  }

  /** Notes what is to be done once everything is saved; what is undone takes it along. */
  afterCommit(task: Task): void {
    this.assertOpen()
    this.#tasks.push(task)
  }

  /** What is to be done once everything is saved, in order; whoever takes it does it. */
  takeTasks(): Task[] {
    return this.#tasks.splice(0)
  }

  /** Lets parts that nobody awaits come to their end. */
  protected async idle(): Promise<void> {
    while (this.#part !== undefined) await this.activity.wait(this.#part)
  }

  protected assertOpen(): void {
    if (this.isOver) throw new Error(OVER)
  }
}

function noop(): void {}

/** Savepoints may all have one name: PostgreSQL takes the latest. */
class Part extends Block {
  readonly #transmit: Send

  constructor(transmit: Send, activity: Activity) {
    super(activity)
    this.#transmit = transmit
  }

  protected override async send(statement: Statement): Promise<QueryResult> {
    this.assertOpen()
    return this.#transmit(statement)
  }

  async run<T>(fn: (part: Block) => Promise<T>, change: Change | undefined): Promise<T> {
    const send = this.#transmit
    await send({ text: 'SAVEPOINT part' })
    try {
      await change?.enter(send)
      const value = await fn(this)
      await this.idle()
      this.isOver = true
      await change?.leave(send)
      await send({ text: 'RELEASE SAVEPOINT part' })
      return value
    } catch (error) {
      // What has come to a standstill is undone with the rest.
      await this.idle().catch(noop)
      this.isOver = true
      await this.#undo()
      throw error
    }
  }

  /** What was set since is as it was before, too. */
  async #undo(): Promise<void> {
    try {
      await this.#transmit({ text: 'ROLLBACK TO SAVEPOINT part' })
      await this.#transmit({ text: 'RELEASE SAVEPOINT part' })
    } catch {
      // The connection is gone, and with it the transaction; whoever ends that finds out.
    }
  }
}

/** A whole transaction on a connection of its own. */
export class Transaction extends Block {
  readonly #connection: Connection
  readonly #begun: Promise<unknown>
  /** The statement that was refused last. */
  #refusal: PostgresError | undefined

  /** Begins in the same flight as the first statement. */
  constructor(connection: Connection, settings: ApplySettings, activity: Activity) {
    super(activity)
    this.#connection = connection
    this.#begun = Promise.all([
      connection.query({ text: 'BEGIN' }),
      settings((statement) => connection.query(statement)),
    ])
    this.#begun.catch(noop)
  }

  protected override async send(statement: Statement): Promise<QueryResult> {
    this.assertOpen()
    return this.#transmit(statement)
  }

  #transmit(statement: Statement): Promise<QueryResult> {
    return this.activity.count(async () => {
      const answer = this.#connection.query(statement)
      answer.catch(noop)
      // Where a transaction could not begin, every statement in it is refused: why it could not says more.
      await this.#begun
      return await answer.catch((error) => this.#explain(error))
    })
  }

  /** What is refused because something before it was (SQLSTATE 25P02) names that as its cause. */
  #explain(error: unknown): never {
    if (!(error instanceof PostgresError)) throw error
    if (error.code === IN_FAILED) throw new PostgresError(REFUSED, error, { cause: this.#refusal })
    this.#refusal = error
    throw error
  }

  /**
   * Makes what was done last, and gives the connection back. Does nothing when it is over.
   *
   * @throws HttpError 503 `COMMIT_UNKNOWN` where the connection was lost before the server has answered; `PostgresError` where the server
   * refuses, a deferred constraint for one; an `Error` where a statement had been refused and nobody minded.
   */
  async commit(): Promise<void> {
    await this.#assertIdle()
    if (this.isOver) return
    this.isOver = true
    // What was lost before that was never told to save anything.
    const { isLost } = this.#connection
    const { command } = await this.#transmit({ text: 'COMMIT' }).catch((error) =>
      this.#giveUp(error, isLost),
    )
    this.#connection.release()
    if (command === 'ROLLBACK') throw new Error(REFUSED, { cause: this.#refusal })
  }

  /** Undoes what was done, and gives the connection back; one that is busy is ended instead. Never rejects. */
  async rollback(): Promise<void> {
    if (this.isOver) return
    this.isOver = true
    // Whatever it waits for, nobody waits for that any more.
    if (this.activity.isBusy) return this.#connection.destroy()
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
      await this.#transmit({ text: 'ROLLBACK' })
      this.#connection.release()
    } catch {
      this.#connection.destroy()
    }
  }

  async #giveUp(error: unknown, isKnown: boolean): Promise<never> {
    // A server that refuses to commit has rolled back. It says no before it is ready again, which the answer to one more shows.
    if (isRefusal(error)) await this.#undo()
    else this.#connection.destroy()
    const isUnknown = HttpError.is(error) && !isRefusal(error) && !isKnown
    throw isUnknown ? commitUnknown(error) : error
  }
}

/** What is said where nobody knows whether something was saved. */
export function commitUnknown(cause: unknown): HttpError {
  return codedError('COMMIT_UNKNOWN', 'It is not known whether this was saved', { cause })
}
