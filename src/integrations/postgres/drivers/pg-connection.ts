import type { Connection, QueryResult, Statement } from '../driver.js'
import { readersFor } from '../values/read-value.js'
import { checkText, writeValues } from '../values/write-values.js'
import { cancelStatement } from './cancel-statement.js'
import { Deadline } from './deadline.js'
import { failureOf, overtime, unavailable } from './failures.js'
import { leavesTraces } from './leaves-traces.js'
import type { PgClient, PgQuery, PgResult } from './pg-package.js'

/** Statements of ours that hold nothing of anybody's: one message each in the simple protocol, and five in the other. */
const COMMANDS: readonly string[] = ['BEGIN', 'COMMIT', 'ROLLBACK']

/** What a lent connection needs to know of who lends it. */
export interface Loan {
  /** How long the server may take for an answer, in milliseconds: a little longer than it allows itself. */
  readonly limitMs: number
  /** Called once, when the connection is given back or destroyed. */
  readonly end: () => void
}

/** A client of `pg`, lent. */
export class PgConnection implements Connection {
  readonly #client: PgClient
  readonly #loan: Loan
  #isLent = true
  /** Makes the error of those who get no answer any more. */
  #failure: (() => Error) | undefined
  #pending = 0
  #isGathering = false
  #hasTraces = false
  #scripts = 0
  #deadline: Deadline | undefined

  constructor(client: PgClient, loan: Loan) {
    this.#client = client
    this.#loan = loan
    // Without a listener, a connection that is cut would end the process.
    client.on('error', this.#lose)
  }

  async query(statement: Statement): Promise<QueryResult> {
    const values = writeValues(statement)
    const { text, rowMode } = statement
    this.#hasTraces ||= leavesTraces(text)
    const types = { getTypeParser: readersFor(statement) }
    // Never the simple protocol, which would run what an injection has put behind a semicolon.
    const protocol = COMMANDS.includes(text) ? {} : ({ queryMode: 'extended' } as const)
    const result = await this.#send({ text, values, rowMode, types, ...protocol })
    const { rows, rowCount, command, fields } = result
    return { rows, rowCount: rowCount ?? 0, command: command ?? '', fields }
  }

  async script(text: string): Promise<void> {
    checkText(text)
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
    if (!this.#isLent) return
    const isClean = this.#pending === 0 && this.#client.getTransactionStatus() === 'I'
    if (!isClean || this.#hasTraces || this.#failure !== undefined) return this.destroy()
    this.#giveBack(false)
  }

  destroy(): void {
    if (!this.#isLent) return
    this.#failure ??= () => unavailable(new Error('The connection was destroyed.'))
    if (this.#pending > 0) cancelStatement(this.#client)
    this.#client.connection.stream.destroy()
    this.#giveBack(true)
  }

  #giveBack(isUnusable: boolean): void {
    this.#isLent = false
    this.#deadline?.cancel()
    this.#client.release(isUnusable)
    this.#client.off('error', this.#lose)
    this.#loan.end()
  }

  async #send(query: PgQuery): Promise<PgResult> {
    if (!this.#isLent) {
      throw this.#failure?.() ?? unavailable(new Error('The connection was given back already.'))
    }
    this.#pending++
    this.#deadline ??= new Deadline(this.#loan.limitMs, this.#expire)
    this.#gather()
    try {
      return await this.#client.query(query)
    } catch (error) {
      throw failureOf(error, this.#failure)
    } finally {
      this.#settle()
    }
  }

  // What is sent in one go goes out with one system call; four were half of the CPU time of a tenant's request.
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

  // The next one's time begins with the answer of the one before it.
  #settle(): void {
    this.#pending--
    if (this.#pending > 0) return this.#deadline?.restart()
    this.#deadline?.cancel()
    this.#deadline = undefined
  }

  readonly #expire = (): void => {
    if (this.#scripts > 0) return this.#deadline?.restart()
    this.#failure ??= () => overtime(new Error(`No answer in ${this.#loan.limitMs} ms.`))
    this.destroy()
  }

  // Whoever has it may be long in finding out, and others wait for it.
  readonly #lose = (error: Error): void => {
    this.#failure ??= () => unavailable(error)
    this.destroy()
  }
}
