import { AsyncResource } from 'node:async_hooks'
import type { Clock, Timer } from '../contracts/clock.js'
import type { Response } from '../contracts/handler.js'
import type { RouteModel } from '../contracts/route-model.js'
import { refuse } from '../errors/refuse.js'
import type { BlazonRequest } from '../http/request.js'
import type { RequestScopes } from '../http/request-scopes.js'
import { inScopeOf } from '../http/request-scopes.js'
import { keepFirstResponse } from '../http/send/end-early.js'
import { kAbortController, kIsExpired } from '../http/symbol-fields.js'
import { boundsOf } from '../model/bounds.js'
import type { OnError } from '../step/step.js'

/** The input of {@link Deadlines}. */
export interface DeadlineConfig {
  readonly clock: Clock
  readonly onError: OnError
  /** Ends a request that has no response yet, although it has failed and its error has been passed to `onError`. */
  readonly fail: OnError
  /**
   * The request scopes, in which the error handlers and the listeners of `req.signal` run; `null` if requests have no
   * scopes.
   */
  readonly scopes: RequestScopes | null
}

const TIMED_OUT = new WeakSet<BlazonRequest>()

/** Whether the handler timeout has ended a request. */
export function hasTimedOut(req: BlazonRequest): boolean {
  return TIMED_OUT.has(req)
}

/**
 * A handler timeout with one length. All requests with this timeout have the same time limit, so they expire in the
 * order in which they started, and one timer for the oldest request is sufficient. The timer is not stopped when the
 * oldest request ends. When it fires, it is set again for the oldest remaining request.
 */
export class Deadlines {
  readonly #startedAt = new Map<BlazonRequest, number>()
  readonly #timeoutMs: number
  readonly #scope = new AsyncResource('BlazonDeadlines')
  readonly #clock: Clock
  readonly #ends: DeadlineConfig
  #timer: Timer | undefined

  /**
   * @param timeoutMs The maximum time that a handler can run, in milliseconds.
   * @param config The clock and the error handlers.
   */
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

  /**
   * Returns the remaining milliseconds for a request. This is the full time if the handler has not waited for anything
   * yet.
   */
  restOf(req: BlazonRequest): number {
    const now = this.#clock.monotonic()
    return Math.max(0, (this.#startedAt.get(req) ?? now) + this.#timeoutMs - now)
  }

  /**
   * Starts the time limit for a handler that responds in a callback. Such a handler is finished only when the response
   * ends.
   */
  startUntilClosed(req: BlazonRequest, res: Response): void {
    if (res.closed) return
    this.start(req)
    res.once('close', () => this.stop(req))
  }

  /** Stops the timer. Running requests then have no time limit. */
  close(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#startedAt.clear()
  }

  #startTimer(ms: number): Timer {
    // The timer is started by one request, but that request's async context must not apply to later requests.
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
    // If the response has already begun, it is a stream, which can take any time.
    if (res.headersSent) return
    TIMED_OUT.add(req)
    const error = refuse('HANDLER_TIMEOUT', 'The handler took too long', { stack: true })
    const end = req[kIsExpired] ? this.#ends.fail : this.#ends.onError
    endEarly(error, req, () => end(error, req, res))
  }
}

/**
 * Whether the handler is waiting for the client: the body is still arriving and is being read. Node's request timeout
 * limits this wait. A body counts only while it is being read. If it is not read, the socket stops reading, so the body
 * would never end.
 */
function isReceiving(req: BlazonRequest): boolean {
  return !req.complete && !req.destroyed && req.readableFlowing !== null
}

/**
 * The time limits of an application: one {@link Deadlines} for each length, because the requests in one queue must
 * expire in the order in which they started. An application has only a few lengths: its own, and the lengths in
 * `@Limits`.
 */
export class DeadlineSet {
  readonly #byMs = new Map<number, Deadlines>()
  readonly #defaultMs: number | null
  readonly #config: DeadlineConfig

  /**
   * @param defaultMs The time limit in milliseconds for routes without `timeout` in `@Limits`; `null` for no limit.
   * @param config The clock and the error handlers.
   */
  constructor(defaultMs: number | null, config: DeadlineConfig) {
    this.#defaultMs = defaultMs
    this.#config = config
  }

  /** Returns the time limit of a route, or of the application if there is no route; `null` for no limit. */
  of(route?: Partial<RouteModel>): Deadlines | null {
    const { handlerMs: ms } = boundsOf(route, { handlerMs: this.#defaultMs })
    if (ms === null) return null
    const deadlines = this.#byMs.get(ms) ?? new Deadlines(ms, this.#config)
    this.#byMs.set(ms, deadlines)
    return deadlines
  }

  /** Starts the time limit of an error middleware. If the request has reached a route, the route's limit applies. */
  startForErrors(req: BlazonRequest, res: Response): void {
    this.#ofRequest(req)?.startUntilClosed(req, res)
  }

  /** Stops the time limit of an error middleware that has allowed the request to continue. */
  stopForErrors(req: BlazonRequest): void {
    this.#ofRequest(req)?.stop(req)
  }

  /** Returns the remaining milliseconds for a request; `null` for no limit. */
  restOf(req: BlazonRequest): number | null {
    return this.#ofRequest(req)?.restOf(req) ?? null
  }

  /** Stops all timers. Running requests then have no time limit. */
  close(): void {
    for (const deadlines of this.#byMs.values()) deadlines.close()
  }

  /** Returns the time limit of a request. In an Express router, `req.route` has no limits of its own. */
  #ofRequest({ route }: BlazonRequest): Deadlines | null {
    return this.of(route as Partial<RouteModel> | undefined)
  }
}

/**
 * Ends a request with an error while its handler is still running. If the handler responds later, its response is
 * dropped. `req.signal` aborts.
 */
export function endEarly(error: unknown, req: BlazonRequest, end: (error: unknown) => void): void {
  req[kIsExpired] = true
  keepFirstResponse(req.res)
  end(error)
  req[kAbortController]?.abort(error)
}
