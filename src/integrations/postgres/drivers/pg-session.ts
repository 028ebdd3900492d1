import type { QueryResult, SessionStatement } from '../driver.js'
import { isRefusal } from '../postgres-error.js'
import { noteRefused } from '../refused-statement.js'
import { classifyStatement } from '../statement-text.js'
import { checkText } from '../values/write-values.js'
import { cancelStatement } from './cancel-statement.js'
import { Deadline, nowMs } from './deadline.js'
import { failureOf, isReadOnly, overtime, skipped, unavailable } from './failures.js'
import { type FlightClass, type FlightHooks, PgStep } from './flight.js'
import type { PgClient } from './pg-package.js'

/**
 * Statements that contain no user input. The simple protocol sends each of them in one message, the extended protocol
 * in five.
 */
const COMMANDS: readonly string[] = ['BEGIN', 'COMMIT', 'ROLLBACK']
const CLEAN: SessionStatement = { text: 'DISCARD ALL' }

/** The configuration that a session gets from its driver. */
export interface SessionTerms {
  readonly Flight: FlightClass
  /** The time limit for a response, in milliseconds: slightly longer than the server's statement timeout. */
  readonly limitMs: number
  /** The statement timeout, in milliseconds. */
  readonly statementMs: number
  /** The session calls this when the server has rejected a write because it is read-only. */
  readonly onReadOnly: () => void
  /** Whether `DISCARD ALL` restores the initial state. It does not if the user's `onConnect` has set up the session. */
  readonly isCleanable: boolean
  /** The session calls this once at the end of each checkout, when it has been closed or can be checked out again. */
  readonly onEnd: (session: PgSession) => void
}

/** The state that an earlier statement may have left in the session: see `StatementClass.leaves`. */
type Traces = 'nothing' | 'something' | 'library'

/** A `pg` client, from its connection to its end. One user after another checks it out. */
export class PgSession {
  readonly client: PgClient
  /** Whether the client is checked out. If not, it is in `pg`'s pool. */
  isLent = false
  readonly #terms: SessionTerms
  /** Creates the error for statements that will receive no response. */
  #failure: (() => Error) | undefined
  /** The number of flights without a response. */
  #pending = 0
  /**
   * Whether the server has sent `ReadyForQuery`. It sends errors before that message, and the message itself reports
   * whether a transaction is open.
   */
  #isReady = true
  #onReady: () => void = noop
  #isGathering = false
  #traces: Traces = 'nothing'
  #scripts = 0
  #deadline: Deadline | undefined
  /** The time when the oldest flight without a response was sent. */
  #sentAt = 0
  #isGone = false
  #isRetired = false
  readonly #hooks: FlightHooks

  constructor(client: PgClient, terms: SessionTerms) {
    this.client = client
    this.#terms = terms
    this.#hooks = {
      onWrite: () => this.#gather(),
      // This happens, for example, if a value is larger than 2 GB. The messages before it are still buffered and will
      // never be sent.
      onUnwritten: (error) => this.#lose(error),
      onStep: () => this.#deadline?.restart(),
      onEnd: () => this.#settle(),
      explain: (error) => this.#explain(error),
    }
    // Without an `error` listener, a broken connection would end the process.
    client.on('error', (error) => this.#lose(error))
    client.on('drain', () => {
      this.#isReady = true
      this.#onReady()
    })
  }

  /** The reason why the session is lost; `undefined` if it is not lost. */
  get failure(): Error | undefined {
    return this.#failure?.()
  }

  /** Sends a single statement. */
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

  /** Sends statements as one batch: see `Connection.sendTogether`. */
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
    // The caller handles the first promise that rejects. These handlers prevent unhandled rejections of the other
    // promises.
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
    try {
      await this.client.query({ text })
    } catch (error) {
      throw this.#explain(error)
    } finally {
      this.#scripts--
      this.#settle()
    }
  }

  /** Returns the session to the pool after its user has released it, or closes it if it cannot be cleaned. */
  leave(): void {
    const isDoubtful = this.#traces !== 'nothing' || !this.#isReady
    if (isDoubtful && this.#pending === 0) void this.#cleanAndGiveBack()
    else this.#giveBack()
  }

  /** Prevents further checkouts. The session is closed when its user releases it, or when the pool selects it again. */
  retire(): void {
    this.#isRetired = true
  }

  /** Whether the session must not be checked out again. */
  get isRetired(): boolean {
    return this.#isGone || this.#isRetired
  }

  #explain(error: unknown): Error {
    if (isReadOnly(error)) this.#terms.onReadOnly()
    const hasRunLong = nowMs() - this.#sentAt >= this.#terms.statementMs
    const failure = failureOf(error, { lose: this.#failure, hasRunLong })
    // The error does not concern the statement, so the next statement would fail as well.
    if (!isRefusal(failure)) this.retire()
    return failure
  }

  /** Closes the session: see `Connection.destroy`. */
  destroy(): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#failure ??= () => unavailable(new Error('The connection was destroyed.'))
    this.#deadline?.cancel()
    this.#deadline = undefined
    if (this.#pending > 0) cancelStatement(this.client)
    this.client.connection.stream.destroy()
    this.#endLoan()
    this.#onReady()
  }

  /** Returns the session to the pool if it is clean; otherwise closes it. */
  #giveBack(): void {
    const isClean =
      this.#pending === 0 &&
      this.#isReady &&
      this.#traces === 'nothing' &&
      this.#failure === undefined &&
      !this.isRetired &&
      this.client.getTransactionStatus() === 'I'
    if (isClean) this.#endLoan()
    else this.destroy()
  }

  #endLoan(): void {
    // For a client in the pool, the pool itself removes the connection and logs the reason.
    if (!this.isLent) return
    this.isLent = false
    this.#terms.onEnd(this)
  }

  /** Cleans the session and returns it. Only the next caller that gets this connection has to wait. */
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
   * Sends `DISCARD ALL` in the same flight as the end of the transaction, because with PgBouncer, the next flight may
   * reach a different session.
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
    if (statement.hasNoReader !== true) this.#leave(classifyStatement(statement.text).leaves)
    return step
  }

  #leave(traces: Traces): void {
    if (this.#traces !== 'library' && traces !== 'nothing') this.#traces = traces
  }

  #send(steps: readonly PgStep[]): void {
    this.#start()
    this.client.query(new this.#terms.Flight(steps, this.#hooks))
  }

  // Statements of the same tick are sent with one system call. Four system calls took half of the CPU time of a request
  // with a tenant.
  #gather(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    this.client.connection.stream.cork()
    process.nextTick(flush, this)
  }

  /** Writes the statements of this tick. */
  flush(): void {
    this.#isGathering = false
    this.client.connection.stream.uncork()
  }

  #start(): void {
    if (this.#pending++ === 0) this.#sentAt = nowMs()
    this.#isReady = false
    if (this.#deadline === undefined) this.#deadline = this.#newDeadline()
    else if (this.#pending === 1) this.#deadline.restart()
  }

  // The timer does not keep the process alive. While the client waits for a response, its open connection does.
  #newDeadline(): Deadline {
    return new Deadline(this.#terms.limitMs, this.#expire).unref()
  }

  // The time limit of the next statement begins with the previous response. After the last response, the timer keeps
  // running, because creating a new timer takes more time than letting it expire.
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

  // The user may notice the loss late while other callers wait for a connection, so the session is destroyed now.
  #lose(error: Error): void {
    this.#failure ??= () => unavailable(error)
    this.destroy()
  }
}

function flush(session: PgSession): void {
  session.flush()
}

function noop(): void {}
