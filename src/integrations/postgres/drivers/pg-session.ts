import { classifyStatement } from '../classify-statement.js'
import type { QueryResult, SessionStatement } from '../driver.js'
import { noteRefused } from '../refused-statement.js'
import { checkText } from '../values/write-values.js'
import { cancelStatement } from './cancel-statement.js'
import { Deadline } from './deadline.js'
import { failureOf, overtime, skipped, unavailable } from './failures.js'
import type { FlightClass, FlightHooks } from './flight.js'
import { MessageWriter } from './message-writer.js'
import type { PgClient } from './pg-package.js'
import { PgStep } from './pg-step.js'

/**
 * Statements that contain no user input. The simple protocol sends each in one message, the
 * extended one in five.
 */
const COMMANDS: readonly string[] = ['BEGIN', 'COMMIT', 'ROLLBACK']
const CLEAN: SessionStatement = { text: 'DISCARD ALL' }

/** The values that a session gets from its driver. */
export interface SessionTerms {
  readonly Flight: FlightClass
  /**
   * The time limit for a response, in milliseconds: a little longer than the statement timeout of
   * the server.
   */
  readonly limitMs: number
  /**
   * Whether `DISCARD ALL` restores the initial state. It does not when the user's `onConnect` has
   * set up the session.
   */
  readonly isCleanable: boolean
  /** Called when the user of the session has left, and it can be lent again. */
  readonly onFree: (session: PgSession) => void
  /** Called once, when the session was closed while the driver had it. */
  readonly onGone: (session: PgSession, place: SessionPlace, reason: Error | undefined) => void
}

/**
 * `lent` to a user; `kept` by the driver for the next user; `pooled`: given back to the pool of
 * `pg`; or `gone`.
 */
export type SessionPlace = 'lent' | 'kept' | 'pooled' | 'gone'

/** The traces that an earlier statement may have left in the session: see `StatementClass.leaves`. */
type Traces = 'nothing' | 'something' | 'library'

/** A client of `pg`, from its connection to its end. It is lent to one user after the other. */
export class PgSession {
  readonly client: PgClient
  /** Set by the driver. */
  place: SessionPlace = 'lent'
  readonly #terms: SessionTerms
  /** Creates the error for statements that get no response any more. */
  #failure: (() => Error) | undefined
  /** The number of flights without a response. */
  #pending = 0
  /**
   * Whether the server has sent `ReadyForQuery`. It sends errors before that message, and the
   * message itself shows whether a transaction is open.
   */
  #isReady = true
  #onReady: () => void = noop
  readonly #writer = new MessageWriter()
  #isGathering = false
  #traces: Traces = 'nothing'
  #scripts = 0
  #deadline: Deadline | undefined
  readonly #hooks: FlightHooks

  constructor(client: PgClient, terms: SessionTerms) {
    this.client = client
    this.#terms = terms
    this.#hooks = {
      enqueue: (steps) => this.#enqueue(steps),
      onStep: () => this.#deadline?.restart(),
      onEnd: () => this.#settle(),
      explain: (error) => failureOf(error, this.#failure),
    }
    // Without a listener, a connection that is cut would end the process.
    client.on('error', (error) => this.#lose(error))
    client.on('drain', () => {
      this.#isReady = true
      this.#onReady()
    })
  }

  /** Why the session is lost; `undefined` while it is not. */
  get failure(): Error | undefined {
    return this.#failure?.()
  }

  /** Sends a statement alone. */
  query(statement: SessionStatement): Promise<QueryResult> {
    const isCommand = COMMANDS.includes(statement.text)
    if (isCommand && statement.text !== 'BEGIN' && this.#canClean)
      return this.#endCleanly(statement)
    let step: PgStep
    try {
      step = this.#stepOf(statement, isCommand)
    } catch (error) {
      return Promise.reject(noteRefused(error, statement))
    }
    this.#send([step])
    return step.promise
  }

  /** Sends statements as one flight: see `Connection.sendTogether`. */
  sendTogether(statements: readonly SessionStatement[]): Promise<QueryResult>[] {
    const steps: PgStep[] = []
    let isRefused = false
    const results = statements.map((statement) => {
      if (isRefused) return Promise.reject(skipped())
      try {
        const step = this.#stepOf(statement, false)
        steps.push(step)
        return step.promise
      } catch (error) {
        isRefused = true
        return Promise.reject(error)
      }
    })
    // The caller handles the first promise that rejects. These handlers prevent unhandled
    // rejections of the others.
    for (const result of results) result.catch(noop)
    if (steps.length > 0) this.#send(steps)
    return results
  }

  /** Runs several statements: see `Connection.script`. */
  async script(text: string): Promise<void> {
    checkText(text)
    this.#leave('something')
    this.#scripts++
    this.#start()
    // `pg` writes this one itself, after everything that was sent before.
    this.flush()
    try {
      await this.client.query({ text })
    } catch (error) {
      throw failureOf(error, this.#failure)
    } finally {
      this.#scripts--
      this.#settle()
    }
  }

  /** Lends the session out again after its user has left. */
  leave(): void {
    const isDoubtful = this.#traces !== 'nothing' || !this.#isReady
    if (isDoubtful && this.#pending === 0) void this.#cleanAndGiveBack()
    else this.#giveBack()
  }

  /** Closes the session: see `Connection.destroy`. */
  destroy(): void {
    this.#end(undefined)
  }

  #end(reason: Error | undefined): void {
    const { place } = this
    if (place === 'gone') return
    this.place = 'gone'
    this.#failure ??= () => unavailable(new Error('The connection was destroyed.'))
    this.#deadline?.cancel()
    this.#deadline = undefined
    if (this.#pending > 0) cancelStatement(this.client)
    this.client.connection.stream.destroy()
    this.#terms.onGone(this, place, reason)
    this.#onReady()
  }

  /** Gives the session back if it is clean, and closes it otherwise. */
  #giveBack(): void {
    const isClean =
      this.#pending === 0 &&
      this.#isReady &&
      this.#traces === 'nothing' &&
      this.#failure === undefined &&
      this.client.getTransactionStatus() === 'I'
    if (isClean) this.#terms.onFree(this)
    else this.destroy()
  }

  /** Only the next caller that takes a connection waits for this. */
  async #cleanAndGiveBack(): Promise<void> {
    await this.#untilReady()
    const isIdle = this.#failure === undefined && this.client.getTransactionStatus() === 'I'
    if (isIdle && this.#canClean) {
      await this.#clean()
      await this.#untilReady()
    }
    this.#giveBack()
  }

  get #canClean(): boolean {
    return this.#traces === 'something' && this.#terms.isCleanable
  }

  async #clean(): Promise<void> {
    const [cleaned] = this.sendTogether([CLEAN])
    await cleaned?.then(() => {
      this.#traces = 'nothing'
    }, noop)
  }

  /**
   * Sends `DISCARD ALL` in the same flight as the end of the transaction: with PgBouncer, the next
   * flight may reach another session.
   */
  #endCleanly(statement: SessionStatement): Promise<QueryResult> {
    const [ended, cleaned] = this.sendTogether([statement, CLEAN])
    void cleaned?.then(() => {
      this.#traces = 'nothing'
    }, noop)
    return ended as Promise<QueryResult>
  }

  #untilReady(): Promise<void> {
    if (this.#isReady || this.#failure !== undefined) return Promise.resolve()
    return new Promise((resolve) => {
      const deadline = new Deadline(this.#terms.limitMs, () => this.destroy())
      this.#onReady = () => {
        this.#onReady = noop
        deadline.cancel()
        resolve()
      }
    })
  }

  #stepOf(statement: SessionStatement, isSimple: boolean): PgStep {
    const step = new PgStep(statement, isSimple)
    const { leaves } = classifyStatement(statement.text)
    if (leaves !== 'nothing') this.#leave(leaves)
    return step
  }

  #leave(traces: Traces): void {
    if (traces === 'library' || this.#traces === 'nothing') this.#traces = traces
  }

  #send(steps: readonly PgStep[]): void {
    this.#start()
    this.client.query(new this.#terms.Flight(steps, this.#hooks))
  }

  #enqueue(steps: readonly PgStep[]): void {
    try {
      for (const step of steps) step.write(this.#writer)
    } catch (error) {
      // For example a value of over 2 GB. A part of a message must never leave.
      return this.#lose(error as Error)
    }
    // A command of the simple protocol is its own `Sync`.
    if (!(steps[0] as PgStep).isSimple) this.#writer.sync()
    this.#gather()
  }

  // Statements that are sent in one tick go out in one system call. Four calls were half of the CPU
  // time of a request with a tenant.
  #gather(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    process.nextTick(flush, this)
  }

  /** Writes what was gathered in this tick. */
  flush(): void {
    if (!this.#isGathering) return
    this.#isGathering = false
    const { stream } = this.client.connection
    if (stream.writable) stream.write(this.#writer.take())
    else this.#writer.clear()
  }

  #start(): void {
    this.#pending++
    this.#isReady = false
    if (this.#deadline === undefined) this.#deadline = this.#newDeadline()
    else if (this.#pending === 1) this.#deadline.restart()
  }

  // The connection keeps the process running while it waits, and is in the pool when it does not.
  #newDeadline(): Deadline {
    return new Deadline(this.#terms.limitMs, this.#expire).unref()
  }

  // The time limit of the next statement begins with the response to the one before it. After the
  // last response the timer keeps running, because making one costs more than letting it run out.
  #settle(): void {
    this.#pending--
    if (this.#pending > 0) this.#deadline?.restart()
  }

  readonly #expire = (): void => {
    if (this.#pending === 0) return
    if (this.#scripts > 0) return this.#deadline?.restart()
    const { limitMs } = this.#terms
    this.#failure ??= () => overtime(new Error(`No response within ${limitMs} ms.`))
    this.destroy()
  }

  // The user may notice the loss late, and others wait for a connection, so destroy it now.
  #lose(error: Error): void {
    this.#failure ??= () => unavailable(error)
    this.#end(error)
  }
}

function flush(session: PgSession): void {
  session.flush()
}

function noop(): void {}
