import { classifyStatement } from '../classify-statement.js'
import type { Connection, QueryResult, Statement } from '../driver.js'
import { isRefusal } from '../postgres-error.js'
import { noteRefused } from '../refused-statement.js'
import { readersFor } from '../values/read-value.js'
import { checkText, writeValues } from '../values/write-values.js'
import { cancelStatement } from './cancel-statement.js'
import { Deadline } from './deadline.js'
import { failureOf, overtime, skipped, unavailable } from './failures.js'
import { type Flight, Skipped } from './flight.js'
import type { PgCallback, PgClient, PgPackage, PgQuery, PgResult, PgStep } from './pg-package.js'

/**
 * Statements that contain no user input. The simple protocol sends each in one message, the
 * extended one in five.
 */
const COMMANDS: readonly string[] = ['BEGIN', 'COMMIT', 'ROLLBACK']
const ENDS: readonly string[] = ['COMMIT', 'ROLLBACK']
const CLEAN: Statement = { text: 'DISCARD ALL' }

/** The values that a lent connection gets from its driver. */
export interface Loan {
  readonly Query: PgPackage['Query']
  readonly Flight: Flight
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
  /** Called once, when the connection is released or destroyed. */
  readonly end: () => void
}

/** The traces that an earlier statement may have left in the session: see `StatementClass.leaves`. */
type Traces = 'nothing' | 'something' | 'library'

/** A client of `pg` that is lent to one user. */
export class PgConnection implements Connection {
  readonly #client: PgClient
  readonly #loan: Loan
  /** `leaving`: the user has released it, and the pool does not have it back yet. */
  #state: 'lent' | 'leaving' | 'gone' = 'lent'
  /** Creates the error for statements that get no response any more. */
  #failure: (() => Error) | undefined
  #pending = 0
  /**
   * Whether the server has sent `ReadyForQuery`. It sends errors before that message, and the
   * message itself shows whether a transaction is open.
   */
  #isReady = true
  #onReady: () => void = noop
  #isGathering = false
  #traces: Traces = 'nothing'
  #scripts = 0
  #deadline: Deadline | undefined

  constructor(client: PgClient, loan: Loan) {
    this.#client = client
    this.#loan = loan
    // Without a listener, a connection that is cut would end the process.
    client.on('error', this.#lose)
    client.on('drain', this.#drained)
  }

  async query(statement: Statement): Promise<QueryResult> {
    if (ENDS.includes(statement.text) && this.#canClean) return this.#endCleanly(statement)
    // Never use the simple protocol for other statements: it would run a second statement that an
    // injection has put after a semicolon.
    const protocol = COMMANDS.includes(statement.text) ? {} : EXTENDED
    try {
      return resultOf(await this.#send({ ...this.#written(statement), ...protocol }))
    } catch (error) {
      throw noteRefused(error, statement)
    }
  }

  sendTogether(statements: readonly Statement[]): Promise<QueryResult>[] {
    const steps: PgStep[] = []
    let isRefused = false
    const results = statements.map((statement) => {
      if (isRefused) return Promise.reject(skipped())
      try {
        return this.#addStep(steps, statement)
      } catch (error) {
        isRefused = true
        return Promise.reject(error)
      }
    })
    // The caller handles the first promise that rejects. These handlers prevent unhandled
    // rejections of the others.
    for (const result of results) result.catch(noop)
    this.#sendSteps(steps)
    return results
  }

  async script(text: string): Promise<void> {
    checkText(text)
    this.#leave('something')
    this.#scripts++
    try {
      await this.#send({ text })
    } finally {
      this.#scripts--
    }
  }

  get isLost(): boolean {
    return this.#failure !== undefined
  }

  release(): void {
    if (this.#state !== 'lent') return
    this.#state = 'leaving'
    const isDoubtful = this.#traces !== 'nothing' || !this.#isReady
    if (isDoubtful && this.#pending === 0) void this.#cleanAndGiveBack()
    else this.#giveBackClean()
  }

  destroy(): void {
    if (this.#state === 'gone') return
    this.#failure ??= () => unavailable(new Error('The connection was destroyed.'))
    if (this.#pending > 0) cancelStatement(this.#client)
    this.#client.connection.stream.destroy()
    this.#giveBack(true)
  }

  #giveBackClean(): void {
    const isClean =
      this.#pending === 0 &&
      this.#isReady &&
      this.#traces === 'nothing' &&
      this.#failure === undefined &&
      this.#client.getTransactionStatus() === 'I'
    if (isClean) this.#giveBack(false)
    else this.destroy()
  }

  #giveBack(isUnusable: boolean): void {
    this.#state = 'gone'
    this.#deadline?.cancel()
    this.#client.release(isUnusable)
    this.#client.off('error', this.#lose)
    this.#client.off('drain', this.#drained)
    this.#loan.end()
  }

  /**
   * Cleans the session after a release. Only the next caller that takes a connection waits for
   * this.
   */
  async #cleanAndGiveBack(): Promise<void> {
    await this.#untilReady()
    const isIdle = this.#failure === undefined && this.#client.getTransactionStatus() === 'I'
    if (isIdle && this.#canClean) {
      await this.#clean().catch(noop)
      await this.#untilReady()
    }
    if (this.#state === 'leaving') this.#giveBackClean()
  }

  get #canClean(): boolean {
    return this.#traces === 'something' && this.#loan.isCleanable
  }

  async #clean(): Promise<void> {
    await this.#submit({ ...this.#written(CLEAN), ...EXTENDED })
    this.#traces = 'nothing'
  }

  /**
   * Sends `DISCARD ALL` in the same flight as the end of the transaction: with PgBouncer, the next
   * flight may reach another session.
   */
  async #endCleanly(statement: Statement): Promise<QueryResult> {
    const [ended, cleaned] = this.sendTogether([statement, CLEAN])
    void cleaned?.then(() => {
      this.#traces = 'nothing'
    }, noop)
    return await (ended as Promise<QueryResult>)
  }

  #untilReady(): Promise<void> {
    if (this.#isReady || this.#failure !== undefined) return Promise.resolve()
    return new Promise((resolve) => {
      const deadline = new Deadline(this.#loan.limitMs, () => {
        this.destroy()
        resolve()
      })
      this.#onReady = () => {
        deadline.cancel()
        resolve()
      }
    })
  }

  #written(statement: Statement): PgQuery {
    const values = writeValues(statement)
    const { text, rowMode } = statement
    this.#leave(classifyStatement(text).leaves)
    return { text, values, rowMode, types: { getTypeParser: readersFor(statement) } }
  }

  #leave(traces: Traces): void {
    if (traces === 'library' || this.#traces === 'nothing') this.#traces = traces
  }

  async #send(query: PgQuery): Promise<PgResult> {
    if (this.#state !== 'lent') throw this.#lateError()
    return await this.#submit(query)
  }

  async #submit(query: PgQuery): Promise<PgResult> {
    this.#start()
    try {
      return await this.#client.query(query)
    } catch (error) {
      throw this.#explain(error)
    } finally {
      this.#settle()
    }
  }

  #addStep(steps: PgStep[], statement: Statement): Promise<QueryResult> {
    const query = this.#written(statement)
    return new Promise((resolve, reject) => {
      const settle: PgCallback = (error, result) =>
        error
          ? reject(noteRefused(this.#explain(error), statement))
          : resolve(resultOf(result as PgResult))
      steps.push(new this.#loan.Query({ ...query, ...EXTENDED }, settle))
    })
  }

  #sendSteps(steps: readonly PgStep[]): void {
    if (this.#state !== 'lent') {
      const { connection: wire } = this.#client
      for (const step of steps) step.handleError(this.#lateError(), wire)
      return
    }
    this.#start()
    const onStep = () => this.#deadline?.restart()
    const flight = new this.#loan.Flight(steps, { onStep, onEnd: () => this.#settle() })
    this.#client.query(flight)
  }

  #lateError(): Error {
    return this.#failure?.() ?? unavailable(new Error('The connection was given back already.'))
  }

  #explain(error: unknown): Error {
    if (!(error instanceof Skipped)) return failureOf(error, this.#failure)
    const failure = failureOf(error.cause, this.#failure)
    return isRefusal(failure) ? skipped() : failure
  }

  #start(): void {
    this.#pending++
    this.#isReady = false
    this.#deadline ??= new Deadline(this.#loan.limitMs, this.#expire)
    this.#gather()
  }

  // Statements that are sent in one tick go out in one system call. Four calls were half of the CPU
  // time of a request with a tenant.
  #gather(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    const { stream } = this.#client.connection
    stream.cork()
    process.nextTick(() => {
      this.#isGathering = false
      stream.uncork()
    })
  }

  // The time limit of the next statement begins with the response to the one before it.
  #settle(): void {
    this.#pending--
    if (this.#pending > 0) return this.#deadline?.restart()
    this.#deadline?.cancel()
    this.#deadline = undefined
  }

  readonly #expire = (): void => {
    if (this.#scripts > 0) return this.#deadline?.restart()
    this.#failure ??= () => overtime(new Error(`No response within ${this.#loan.limitMs} ms.`))
    this.destroy()
  }

  // The user may notice the loss late, and others wait for a connection, so destroy it now.
  readonly #lose = (error: Error): void => {
    this.#failure ??= () => unavailable(error)
    this.destroy()
    this.#onReady()
  }

  readonly #drained = (): void => {
    this.#isReady = true
    this.#onReady()
  }
}

const EXTENDED = { queryMode: 'extended' } as const

function resultOf({ rows, rowCount, command, fields }: PgResult): QueryResult {
  return { rows, rowCount: rowCount ?? 0, command: command ?? '', fields }
}

function noop(): void {}
