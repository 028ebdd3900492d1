import { AsyncResource } from 'node:async_hooks'
import type { Clock, Timer } from '../contracts/clock.js'
import type { Response } from '../contracts/handler.js'
import { refuse } from '../errors/refuse.js'
import { kIsExpired } from '../http/own-fields.js'
import type { BlazonRequest } from '../http/request.js'
import type { RequestScopes } from '../http/request-scopes.js'
import type { OnError } from '../step/step.js'
import { overtake } from './overtake.js'
import { inScopeOf } from './scoped-errors.js'

/** Who counts, and where a request goes whose time has passed. */
export interface DeadlineConfig {
  readonly clock: Clock
  readonly onError: OnError
  /** For one that has been to `onError` and still has no answer. */
  readonly fail: OnError
  /** What listeners of `req.signal` run in, too. */
  readonly scopes: RequestScopes | null
}

/**
 * The handler timeout of an application. All requests wait equally long, so they expire in the
 * order in which they started: one timer waits for the oldest, instead of a timer for each request. It is not
 * stopped when that one is answered, but looks for the next when it rings.
 */
export class Deadlines {
  readonly #startedAt = new Map<BlazonRequest, number>()
  readonly #timeoutMs: number
  readonly #scope = new AsyncResource('BlazonDeadlines')
  readonly #clock: Clock
  readonly #ends: DeadlineConfig
  #timer: Timer | undefined

  /** @param timeoutMs How long a handler may take. */
  constructor(timeoutMs: number, config: DeadlineConfig) {
    this.#timeoutMs = timeoutMs
    this.#clock = config.clock
    this.#ends = config
  }

  start(req: BlazonRequest): void {
    this.#startedAt.delete(req)
    this.#startedAt.set(req, this.#clock.monotonic())
    this.#timer ??= this.#startTimer(this.#timeoutMs)
  }

  stop(req: BlazonRequest): void {
    this.#startedAt.delete(req)
  }

  /** For handlers that answer from a callback: nothing but the end of the response tells that they have. */
  startUntilClosed(req: BlazonRequest, res: Response): void {
    if (res.closed) return
    this.start(req)
    res.once('close', () => this.stop(req))
  }

  /** Stops the timer; what is under way is no longer watched. */
  close(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#startedAt.clear()
  }

  #startTimer(ms: number): Timer {
    // Whoever starts it is a request, whose context must not be that of all that come after it.
    return this.#scope.runInAsyncScope(() => this.#clock.setTimeout(() => this.#expire(), ms))
  }

  #expire(): void {
    const now = this.#clock.monotonic()
    try {
      for (const [req, startedAt] of this.#startedAt) {
        if (startedAt + this.#timeoutMs > now) return
        this.#startedAt.delete(req)
        if (isReceiving(req)) this.start(req)
        else inScopeOf(this.#ends.scopes, req, () => this.#end(req))
      }
    } finally {
      const [oldest] = this.#startedAt.values()
      this.#timer =
        oldest === undefined ? undefined : this.#startTimer(oldest + this.#timeoutMs - now)
    }
  }

  #end(req: BlazonRequest): void {
    const { res } = req
    // A response that has begun is a stream and may take as long as it wants.
    if (res.headersSent) return
    const error = refuse('HANDLER_TIMEOUT', 'The handler took too long', { stack: true })
    const end = req[kIsExpired] ? this.#ends.fail : this.#ends.onError
    overtake(error, req, () => end(error, req, res))
  }
}

/**
 * Whether it is the client that takes its time, which Node's request timeout limits: its body is still
 * coming in and being read. One that nobody reads never ends, because the socket waits for a reader.
 */
function isReceiving(req: BlazonRequest): boolean {
  return !req.complete && !req.destroyed && req.readableFlowing !== null
}
