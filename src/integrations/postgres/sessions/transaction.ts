import { refuse } from '../../../errors/refuse.js'
import { HttpError } from '../../../index.js'
import type { Connection, QueryResult, Statement } from '../driver.js'
import { IN_FAILED, isRefusal, PostgresError, UnsavedError } from '../postgres-error.js'
import type { Activity } from './activity.js'
import { Departure } from './departure.js'
import type { Send, Settings } from './session-settings.js'

/** What holds while a part of a transaction runs, and what holds again behind it. */
export interface Change {
  readonly enter: Settings
  readonly leave: Settings
}

const OVER =
  'The transaction has ended, and this statement came after its end: await every query that belongs to it.'
const NOT_UNDONE =
  'Nothing was saved: a nested transaction failed, and it could not be rolled back alone.'
const REFUSED =
  'Nothing was saved: PostgreSQL refused a statement of the transaction, and the program caught the error. Put a statement that may be refused into a nested db.transaction(), which is rolled back alone.'

/** Something to be done later. */
export type Task = () => unknown

/**
 * A transaction, or a part of one that can be undone alone. While such a part runs, what the whole is asked waits for it: on one
 * connection, it would become part of it.
 */
export abstract class Block {
  protected isOver = false
  /** How many parts stand around it. */
  protected readonly depth: number = 0
  protected readonly activity: Activity
  readonly #tasks: Task[] = []
  #part: Promise<void> | undefined

  constructor(activity: Activity) {
    this.activity = activity
  }

  /** Sends a statement without waiting for those before it. */
  protected abstract send(statement: Statement): Promise<QueryResult>

  /** Gives up the whole transaction: what is in it is no longer known. */
  protected abstract doom(cause: unknown): void

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
    const send: Send = (statement) => this.send(statement)
    const doom = (cause: unknown) => this.doom(cause)
    const part = new Part({ send, doom, depth: this.depth + 1 }, this.activity)
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
    if (this.isOver) throw new OverError(OVER)
  }
}

function noop(): void {}

/** A statement behind the end of its block. */
class OverError extends Error {}

/** What a part asks of what it is a part of. */
interface Outside {
  readonly send: Send
  readonly doom: (cause: unknown) => void
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
    return this.#outside.send(statement)
  }

  protected override doom(cause: unknown): void {
    this.#outside.doom(cause)
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
      // What has come to a standstill is undone with the rest.
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

  /** What was set since is as it was before, too. */
  async #undo(): Promise<void> {
    const { send, doom } = this.#outside
    try {
      await send({ text: `ROLLBACK TO SAVEPOINT ${this.#savepoint}` })
      await send({ text: `RELEASE SAVEPOINT ${this.#savepoint}` })
    } catch (error) {
      // What it is a part of is over, and undone as a whole. Else this may still be there, or what is undone next would be this one again.
      if (!(error instanceof OverError)) doom(error)
    }
  }
}

/** A whole transaction on a connection of its own. */
export class Transaction extends Block {
  readonly #connection: Connection
  readonly #departure: Departure
  /** The statement that was refused last. */
  #refusal: PostgresError | undefined
  #doom: Error | undefined

  /** Begins in the same flight as the first statement. */
  constructor(connection: Connection, settings: Settings, activity: Activity) {
    super(activity)
    this.#connection = connection
    this.#departure = new Departure(connection, settings)
  }

  protected override async send(statement: Statement): Promise<QueryResult> {
    this.assertOpen()
    if (this.#doom !== undefined) throw this.#doom
    return this.#transmit(() => this.#departure.send(statement))
  }

  protected override doom(cause: unknown): void {
    this.#doom ??= HttpError.is(cause) ? cause : new Error(NOT_UNDONE, { cause })
  }

  #transmit(send: () => Promise<QueryResult>): Promise<QueryResult> {
    return this.activity.count(() => send().catch((error) => this.#explain(error)))
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
    if (this.#doom !== undefined) {
      this.#connection.destroy()
      throw this.#doom
    }
    // What was lost before that was never told to save anything.
    const { isLost } = this.#connection
    const commit = this.#transmit(() => this.#departure.conclude('COMMIT'))
    const answer = await commit.catch((error) => this.#giveUp(error, isLost))
    this.#connection.release()
    assertCommitted(answer, this.#refusal)
  }

  /** Undoes what was done, and gives the connection back; one that is busy is ended instead. Never rejects. */
  async rollback(): Promise<void> {
    if (this.isOver) return
    this.isOver = true
    // Whatever it waits for, nobody waits for that any more.
    if (this.activity.isBusy || this.#doom !== undefined) return this.#connection.destroy()
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
      await this.#transmit(() => this.#departure.conclude('ROLLBACK'))
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

/** @throws Error where `COMMIT` has rolled back, which is no error to PostgreSQL. */
export function assertCommitted({ command }: QueryResult, cause?: unknown): void {
  if (command !== 'COMMIT') throw new UnsavedError(REFUSED, { cause })
}

/** What is said where nobody knows whether something was saved. */
export function commitUnknown(cause: unknown): HttpError {
  return refuse('COMMIT_UNKNOWN', 'It is not known whether this was saved', { cause, stack: true })
}
