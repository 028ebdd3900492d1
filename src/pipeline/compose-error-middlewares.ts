import type { ErrorRequestHandler, NextFunction, Response } from '../contracts/handler.js'
import { type KnownFailure, toFailure } from '../errors/failure.js'
import { refuse } from '../errors/refuse.js'
import { isRefused, resumeAsBefore } from '../http/continuations.js'
import type { BlazonRequest } from '../http/request.js'
import { inScopeOf, type RequestScopes } from '../http/request-scopes.js'
import { kHasFailed, kIsExpired, kPassOn } from '../http/symbol-fields.js'
import type { OnError } from '../step/step.js'
import type { LogFailure } from './log-failure.js'
import { callMiddleware, isNextError } from './middleware-errors.js'

/** An error middleware, and the number of middlewares before it. */
export interface PlacedErrorMiddleware {
  readonly handle: ErrorRequestHandler
  readonly place: number
}

/** The place where a middleware's error occurred. */
export interface ErrorOrigin {
  /**
   * Continues the request after the place of the error, and at the earliest with the middleware at the index `place`;
   * `null` if nothing follows.
   */
  readonly passOver: ((place: number, argument: unknown) => void) | null
  /** Handles the error of an error middleware that has already allowed the request to continue. */
  readonly failLate: (error: unknown) => void
}

/** Handles an error of a request. Without `origin`, the request cannot continue after the error. */
export type OnFailure = (
  error: unknown,
  req: BlazonRequest,
  res: Response,
  origin?: ErrorOrigin,
) => void

/** The functions to call after the error middlewares. */
export interface ErrorEnds {
  /** Handles the error that the last error middleware passes on or throws. */
  readonly last: OnError
  readonly log: LogFailure
  /** Reads an error, with the status that its response would have. */
  readonly read: (error: unknown, status: number) => KnownFailure
  /** Limits the time of error middlewares that have returned without sending a response. */
  readonly watch: {
    readonly start: (req: BlazonRequest, res: Response) => void
    readonly stop: (req: BlazonRequest) => void
  }
  /**
   * Whether `next()` without an argument passes on the same error. This is `true` for refusals by the framework, which
   * no middleware is allowed to override.
   */
  readonly staysAnError: boolean
}

/**
 * Passes an error from one error middleware to the next, even if the response has begun, because error middlewares also
 * log. As in Express, an error middleware can call `next()` to allow the request to continue. It then continues after
 * both the error middleware and the place of the error. If nothing follows there, the next error middleware receives a
 * 404 error instead.
 */
export function composeErrorMiddlewares(
  middlewares: readonly PlacedErrorMiddleware[],
  ends: ErrorEnds,
): OnFailure {
  if (middlewares.length === 0) return ends.last
  return function runErrorMiddlewares(error, req, res, origin) {
    new ErrorWalk({ ...ends, middlewares, req, res, origin }).start(error)
  }
}

interface WalkConfig extends ErrorEnds {
  readonly middlewares: readonly PlacedErrorMiddleware[]
  readonly req: BlazonRequest
  readonly res: Response
  readonly origin: ErrorOrigin | undefined
}

class ErrorWalk {
  readonly #config: WalkConfig
  /** The index of the error middleware that handles the error. Only this middleware can pass the error on. */
  #at = 0
  #error: unknown
  #hasGoneOn = false

  constructor(config: WalkConfig) {
    this.#config = config
  }

  start(error: unknown): void {
    const { req, res, watch } = this.#config
    this.#pass(error, 0)
    if (this.#hasGoneOn) return
    if (res.headersSent || res.closed) return this.#noteResponse()
    watch.start(req, res)
    // Serverless platforms replace Node's response object. The replacement may emit only one of the two events.
    for (const event of ['finish', 'close']) res.once(event, () => this.#noteResponse())
  }

  #pass(error: unknown, index: number): void {
    const { middlewares, req, res, last } = this.#config
    this.#error = error
    this.#at = index
    const middleware = middlewares[index]
    if (middleware === undefined) return last(error, req, res)
    this.#noteFailure(error)
    const settle = (passed: unknown) =>
      this.#at === index ? this.#pass(passed, index + 1) : this.#failLate(passed)
    const next = ((argument?: unknown) => {
      if (isNextError(argument)) settle(argument)
      else if (this.#at === index) this.#goOn(middleware.place, argument)
    }) as NextFunction
    req.next = next
    callMiddleware(() => middleware.handle(error, req, res, next), settle)
  }

  #goOn(place: number, argument: unknown): void {
    const { req, res, origin, staysAnError, watch } = this.#config
    if (staysAnError || isRefused(req)) return this.#pass(this.#error, this.#at + 1)
    const passOver = origin?.passOver ?? null
    const isLast = passOver === null || (argument === 'router' && req[kPassOn] === undefined)
    if (isLast) return this.#pass(nothingBehind(), this.#at + 1)
    // The error middleware or the timeout has already sent a response.
    if (res.headersSent || req[kIsExpired]) return
    this.#at = this.#config.middlewares.length
    this.#hasGoneOn = true
    watch.stop(req)
    req[kHasFailed] = false
    resumeAsBefore(req, () => passOver(place, argument))
  }

  /**
   * Handles the error of an error middleware that has already called `next`. Either the request has continued, or
   * another error middleware is handling the original error.
   */
  #failLate(error: unknown): void {
    const { req, origin, log } = this.#config
    if (this.#hasGoneOn && origin !== undefined) origin.failLate(error)
    else log(error, req, { status: toFailure(error).status })
  }

  /**
   * Logs a server error before an error middleware receives it, because the middleware may end the response with any
   * status.
   */
  #noteFailure(error: unknown): void {
    const { req, res, log, read } = this.#config
    const { status } = read(error, res.statusCode)
    if (status >= 500) log(error, req, { status })
  }

  /**
   * Logs a client error if the response status is 500 or above, regardless of which code sent the response. If the
   * request has continued, the error is not logged.
   */
  #noteResponse(): void {
    const { req, res, log } = this.#config
    if (this.#hasGoneOn) return
    const status = res.headersSent ? res.statusCode : toFailure(this.#error).status
    if (status >= 500) log(this.#error, req, { status })
  }
}

function nothingBehind(): Error {
  return refuse('NOT_FOUND')
}

/** Handles an error in the scope of its request, regardless of the scope in which the error was passed on. */
export function scopedErrors(scopes: RequestScopes | null, onError: OnFailure): OnFailure {
  if (scopes === null) return onError
  return function onScopedError(error, req, res, origin) {
    inScopeOf(scopes, req, () => onError(error, req, res, origin))
  }
}
