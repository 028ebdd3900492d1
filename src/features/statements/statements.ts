import type { Clock } from '../../contracts/clock.js'
import type {
  AnsweredStatement,
  AnswerStatement,
  NewStatement,
  RanStatement,
  StatementResult,
} from '../../contracts/database.js'
import type { Request } from '../../contracts/handler.js'
import { callerStack } from '../../errors/caller-stack.js'

/** A running statement. Call exactly one of the two functions. */
export interface RunningStatement {
  /** Reports the result. Never throws. */
  end(result: StatementResult): void
  /** Reports the error of a failed statement. Never throws. */
  fail(error: unknown): void
}

/** The parts of an application that {@link Statements} depends on. */
export interface StatementsConfig {
  /** The clock of the application. */
  readonly clock: Pick<Clock, 'monotonic'>
  /** Returns the request that the current code runs for. */
  readonly currentRequest: () => Request | undefined
  /** Returns the current tenant. */
  readonly currentTenant: () => string | undefined
  /** Returns the results of statements in place of a database; `null` unless a test provides them. */
  readonly answer: AnswerStatement | null
}

const NO_ROWS: AnsweredStatement = { text: '', rows: [] }

/**
 * Receives the statements that database plugins run, and passes them to the `onStatement` of observers
 * (`Plugin.requests`), for traces, timelines and query budgets. A database plugin obtains this object with `get` in its
 * `setup`. If no observer receives statements, `begin` does nothing and returns `null`.
 *
 * @example
 * async function query(text: string, values: unknown[]) {
 *   const running = statements.begin({ system: 'postgresql', text, values })
 *   if (running === null) return pool.query(text, values)
 *   try {
 *     const result = await pool.query(text, values)
 *     running.end(result)
 *     return result
 *   } catch (error) {
 *     running.fail(error)
 *     throw error
 *   }
 * }
 */
export class Statements {
  readonly #config: StatementsConfig
  #report: ((statement: RanStatement) => void) | null = null
  #hasStacks = false

  /** Only the framework calls this constructor. */
  constructor(config: StatementsConfig) {
    this.#config = config
  }

  /** Whether any observer receives statements. This is decided before plugins are set up. */
  get areObserved(): boolean {
    return this.#report !== null
  }

  /**
   * Whether a test provides the results of statements (`statements` of `TestApp.create`). The database plugin then does
   * not connect to a database, and calls {@link Statements.answer}.
   */
  get areAnswered(): boolean {
    return this.#config.answer !== null
  }

  /**
   * Returns the result that the test provides for a statement. Statements outside requests, for example in `onInit`,
   * return no rows.
   *
   * @throws UnansweredStatementError if a request runs a statement for which the test provides no result.
   */
  answer(statement: NewStatement): AnsweredStatement {
    const { answer, currentRequest } = this.#config
    return answer === null || currentRequest() === undefined ? NO_ROWS : answer(statement)
  }

  /**
   * Sets the function that receives the statements. Only the framework calls this method.
   *
   * @param report Must not throw.
   * @param options `hasStacks`: whether statements have stacks. Default: `false`.
   */
  start(
    report: (statement: RanStatement) => void,
    { hasStacks = false }: { readonly hasStacks?: boolean } = {},
  ): void {
    this.#report = report
    this.#hasStacks = hasStacks
  }

  /**
   * Reports that a statement is about to run. Call this function in the async context of the code that runs the
   * statement.
   *
   * @returns `null` if no observer receives statements.
   */
  begin({ system, text, values = [] }: NewStatement): RunningStatement | null {
    const report = this.#report
    if (report === null) return null
    const { clock, currentRequest, currentTenant } = this.#config
    const startedAt = clock.monotonic()
    const begun = { system, text, values, startedAt, tenant: currentTenant() }
    const req = currentRequest()
    const caller = this.#hasStacks ? callerStack(this.begin) : undefined
    const end = (result: StatementResult, error: unknown) => {
      const durationMs = clock.monotonic() - startedAt
      const { rows, rowCount } = result
      report({
        ...begun,
        req,
        durationMs,
        rows,
        rowCount,
        error,
        get stack() {
          return caller?.stack
        },
      })
    }
    return {
      end: (result) => end(result, undefined),
      fail: (error) => end(NO_RESULT, error),
    }
  }
}

const NO_RESULT: StatementResult = { rowCount: null, rows: null }
