import type { ErrorRequestHandler, NextFunction, Response } from '../contracts/handler.js'
import { toFailure } from '../errors/failure.js'
import { refuse } from '../errors/refuse.js'
import { kHasFailed, kIsExpired, kPassOn } from '../http/own-fields.js'
import type { BlazonRequest } from '../http/request.js'
import { isRefused, resumeAsBefore } from '../http/ways-on.js'
import { isNextError } from '../step/next-error.js'
import type { OnError } from '../step/step.js'
import { callMiddleware } from './call-middleware.js'
import type { LogFailure } from './log-failure.js'

/** An error middleware, and how many middlewares stand before it. */
export interface PlacedErrorMiddleware {
  readonly handle: ErrorRequestHandler
  readonly place: number
}

/** What stands behind the place where an error of a middleware came from. */
export interface ErrorOrigin {
  /** Goes on behind that place and behind so many middlewares; `null` where nothing stands there. */
  readonly passOver: ((place: number, argument: unknown) => void) | null
  /** For an error of who has let the request go on already. */
  readonly failLate: (error: unknown) => void
}

/** Takes any error of a request to its end. Of an error that has no `origin`, nothing can go on. */
export type OnFailure = (
  error: unknown,
  req: BlazonRequest,
  res: Response,
  origin?: ErrorOrigin,
) => void

/** Where errors go from the error middlewares. */
export interface ErrorEnds {
  /** Takes what the last one of them passes on, or throws. */
  readonly last: OnError
  readonly log: LogFailure
  /** Counts the time of those that have not answered at once. */
  readonly watch: {
    readonly start: (req: BlazonRequest, res: Response) => void
    readonly stop: (req: BlazonRequest) => void
  }
  /** Whether `next()` passes on the same error: those of the framework's own steps are not for a middleware to pass over. */
  readonly staysAnError: boolean
}

/**
 * Hands an error from one error middleware to the next, even when the answer has begun: loggers want to
 * know. With `next()` one of them lets the request go on, as in Express: behind itself, and behind the
 * place where the error came from. Where nothing stands there, that is a 404, which those behind it see.
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
  /** Which of them has the error; only that one may pass it on. */
  #at = 0
  #error: unknown
  #hasGoneOn = false

  constructor(config: WalkConfig) {
    this.#config = config
  }

  start(error: unknown): void {
    const { req, res, watch } = this.#config
    const hadBegun = res.headersSent
    this.#pass(error, 0)
    if (hadBegun || this.#hasGoneOn) return
    if (res.headersSent || res.closed) return this.#noteResponse()
    watch.start(req, res)
    // Whoever stands in for Node, on serverless platforms for one, may emit only one of the two.
    for (const event of ['finish', 'close']) res.once(event, () => this.#noteResponse())
  }

  #pass(error: unknown, index: number): void {
    const { middlewares, req, res, last } = this.#config
    this.#error = error
    this.#at = index
    const middleware = middlewares[index]
    if (middleware === undefined) return last(error, req, res)
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
    // It has been answered: by the error middleware itself, or because that took too long.
    if (res.headersSent || req[kIsExpired]) return
    this.#at = this.#config.middlewares.length
    this.#hasGoneOn = true
    watch.stop(req)
    req[kHasFailed] = false
    resumeAsBefore(req, () => passOver(place, argument))
  }

  /** Of one that has passed on what it had: either the request is on its way again, or others have the error. */
  #failLate(error: unknown): void {
    const { req, origin, log } = this.#config
    if (this.#hasGoneOn && origin !== undefined) origin.failLate(error)
    else log(error, req, { status: toFailure(error).status })
  }

  /** The log must know of it whoever has answered; but nobody has been told that all is well. */
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
