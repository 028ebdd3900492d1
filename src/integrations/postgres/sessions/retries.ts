import type { Response } from '../../../index.js'
import { hasFailed, holdResponse } from '../../../plugin/index.js'
import { Deadline } from '../drivers/deadline.js'
import { isConflict } from '../postgres-error.js'
import type { RequestParts, WorkHold } from './request-work.js'

/** The maximum pause before the second attempt, in milliseconds. It doubles with each attempt. */
const PAUSE_MS = 20
const LONGEST_PAUSE_MS = 500

/** Waits before an attempt. Conflicting transactions would conflict again if they all began at the same time. */
export function pauseBefore(attempt: number): Promise<void> {
  const longest = Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** (attempt - 1))
  return new Promise((resolve) => new Deadline(Math.random() * longest, resolve))
}

/** The status at and above which a response's transaction is rolled back. */
const FAILED = 500

/** The configuration of {@link runRetried}. */
export interface RetriedParts extends RequestParts {
  /** The maximum number of retries. */
  readonly retries: number
}

type Run = (parts: RequestParts) => unknown

/**
 * Runs a handler, and runs it again if its transaction conflicted with other transactions. The transaction is committed
 * as soon as the handler returns, not when the response begins. By the time a response begins, interceptors have
 * already processed the value, and would not process the value of a later attempt.
 *
 * @param run Runs one attempt. Each call begins a new transaction.
 */
export function runRetried(parts: RetriedParts, run: Run): Promise<unknown> {
  return new RetriedRequest(parts, run).attempt()
}

class RetriedRequest {
  readonly #parts: RetriedParts
  readonly #run: Run
  readonly #head: Head
  #attempts = 0
  /** The transaction of the running attempt. */
  #hold: WorkHold | undefined
  #isHeld = false
  /** Settles when the transaction has ended, if the handler has started the response itself. */
  #ending: Promise<void> | undefined
  /** Whether the handler has returned and its response is waiting for the transaction to end. */
  #isWaiting = false

  constructor(parts: RetriedParts, run: Run) {
    this.#parts = parts
    this.#run = run
    this.#head = new Head(parts.res)
  }

  async attempt(): Promise<unknown> {
    const { req, res, fail } = this.#parts
    this.#attempts++
    try {
      const value = await this.#run({ req, res, fail, hold: (hold) => this.#take(hold) })
      if (res.headersSent) await this.#waitForEnd()
      else if (value !== res && res.statusCode < FAILED) await this.#hold?.before(res.statusCode)
      return value
    } catch (error) {
      if (!this.#mayRepeat(error)) throw error
      // The transaction is rolled back, as for a response with this status.
      await this.#hold?.before(FAILED)
      return await this.#repeat(error)
    }
  }

  async #waitForEnd(): Promise<void> {
    this.#isWaiting = true
    await this.#ending?.catch((error) => {
      // In all other cases, `#refused` has already sent the error.
      if (this.#mayRepeat(error)) throw error
    })
  }

  /** Takes over the delayed response of an attempt. The response is delayed only once for all attempts. */
  #take(hold: WorkHold): void {
    this.#hold = hold
    if (this.#isHeld) return
    this.#isHeld = true
    const before = (status: number) => {
      this.#ending = this.#hold?.before(status) as Promise<void>
      return this.#ending
    }
    holdResponse(this.#parts.res, { before, refused: (error) => this.#refused(error) })
  }

  #refused(error: unknown): void {
    this.#isHeld = false
    // A handler that is still running may be waiting for the response, so the error is sent instead of a retry.
    if (!this.#isWaiting || !this.#mayRepeat(error)) this.#parts.fail(error)
  }

  async #repeat(error: unknown): Promise<unknown> {
    await pauseBefore(this.#attempts)
    if (!this.#mayRepeat(error)) throw error
    this.#head.restore()
    this.#ending = undefined
    this.#isWaiting = false
    return await this.attempt()
  }

  #mayRepeat(error: unknown): boolean {
    const { req, res, retries } = this.#parts
    if (this.#attempts > retries || !isConflict(error)) return false
    return !res.headersSent && !res.closed && !hasFailed(req)
  }
}

/** The head of a response before the first attempt. It must be the same before each attempt. */
class Head {
  readonly #res: Response
  readonly #headers: ReturnType<Response['getHeaders']>
  /** The status; `undefined` if no code has set it and the route's status applies. */
  readonly #status: number | undefined

  constructor(res: Response) {
    this.#res = res
    this.#headers = { ...res.getHeaders() }
    this.#status = Object.hasOwn(res, 'statusCode') ? res.statusCode : undefined
  }

  restore(): void {
    const before = this.#headers
    for (const [name, value] of Object.entries(this.#res.getHeaders())) {
      if (before[name] === undefined) this.#res.removeHeader(name)
      else if (before[name] !== value) this.#res.setHeader(name, before[name])
    }
    for (const [name, value] of Object.entries(before)) {
      if (value !== undefined && !this.#res.hasHeader(name)) this.#res.setHeader(name, value)
    }
    if (this.#status === undefined) Reflect.deleteProperty(this.#res, 'statusCode')
    else this.#res.statusCode = this.#status
  }
}
