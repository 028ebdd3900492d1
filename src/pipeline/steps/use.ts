import type { NextFunction, RequestHandler, Response } from '../../contracts/handler.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { refuse } from '../../errors/refuse.js'
import { noteRoute } from '../../http/request-notes.js'
import { kIsExpired } from '../../http/symbol-fields.js'
import type { OnError, Step, StepFactory } from '../../step/step.js'
import {
  callMiddleware,
  isNextError,
  noteUseError,
  type OnLateError,
} from '../middleware-errors.js'

/** The parts of an application that a route's middlewares depend on. */
export interface UseConfig {
  readonly onError: OnError
  /** Handles an error of a middleware that has already called `next`. */
  readonly onLateError: OnLateError
  readonly route: RouteModel
}

/**
 * Runs Express middlewares as steps of a route. If a middleware is a router, it sets `req.route` to its own route. The
 * framework's route is restored for the handler. If a middleware passes on an error, throws or rejects, the request
 * fails with this error. A middleware that sends a response ends the request. A request that has ended in the meantime
 * does not enter further middlewares.
 *
 * @param middlewares The middlewares. If requests have scopes, `next` returns to the request's scope.
 */
export function useStage(middlewares: readonly RequestHandler[], config: UseConfig): StepFactory {
  const { route } = config
  return (next) => {
    const restored: Step = (req, res) => {
      req.route = route
      return next(req, res)
    }
    const run = middlewares.reduceRight<Step>(
      (later, each) => middlewareStep(each, later, config),
      restored,
    )
    // Only a route with another format, or with a status of its own, responds differently from requests without a
    // route.
    if (route.isEnveloped && route.status === null) return run
    return function useMiddlewares(req, res) {
      noteRoute(req, route)
      return run(req, res)
    }
  }
}

function middlewareStep(
  middleware: RequestHandler,
  later: Step,
  { onError, onLateError }: UseConfig,
): Step {
  return function runMiddleware(req, res) {
    const note = (error: unknown) => noteUseError(error, req)
    const fail = (error: unknown) => {
      note(error)
      onError(error, req, res)
    }
    const passage = new Passage({
      note,
      later: () => (req[kIsExpired] ? res : later(req, res)),
      late: (error) => onLateError(error, { req, res, isAtRoute: true, fail }),
      res,
    })
    callMiddleware(() => middleware(req, res, passage.next), passage.fail)
    return passage.result
  }
}

/** The functions to call when a middleware has finished its work on a request. */
interface PassageEnds {
  /** Records the error of the middleware. */
  readonly note: (error: unknown) => void
  readonly later: () => unknown
  /** Handles an error that occurs after the passage has ended. */
  readonly late: (error: unknown) => void
  readonly res: Response
}

/** One request in one middleware. The passage ends once: with `next`, an error or a response. */
class Passage {
  readonly #ends: PassageEnds
  #state: 'inside' | 'waiting' | 'over' = 'inside'
  /** The result of the later steps, if the middleware called `next` before it returned. */
  #value: unknown
  #error: { readonly reason: unknown } | undefined
  #resolve: (value: unknown) => void = () => {}
  readonly #close = () => this.#end(() => this.#ends.res)

  constructor(ends: PassageEnds) {
    this.#ends = ends
  }

  /**
   * As in Express, `'route'` and `'router'` leave the route. No other route follows, so the client receives a 404
   * response.
   */
  readonly next = ((argument?: unknown) => {
    if (isNextError(argument)) return this.fail(argument)
    if (argument === 'route' || argument === 'router') return this.fail(refuse('NOT_FOUND'))
    this.#end(this.#ends.later)
  }) as NextFunction

  readonly fail = (error: unknown): void => {
    if (this.#state === 'over') return this.#ends.late(error)
    this.#ends.note(error)
    this.#end(() => {
      throw error
    })
  }

  /**
   * The result of the step. A middleware that has not called `next` may still call it later, or may have sent the
   * response.
   */
  get result(): unknown {
    if (this.#error !== undefined) throw this.#error.reason
    if (this.#state === 'over') return this.#value
    const { res } = this.#ends
    if (res.writableEnded || res.closed) return res
    this.#state = 'waiting'
    return new Promise((resolve) => {
      this.#resolve = resolve
      res.once('close', this.#close)
    })
  }

  #end(run: () => unknown): void {
    if (this.#state === 'over') return
    const isWaiting = this.#state === 'waiting'
    this.#state = 'over'
    if (isWaiting) this.#ends.res.off('close', this.#close)
    try {
      this.#value = run()
    } catch (reason) {
      this.#error = { reason }
    }
    if (!isWaiting) return
    const { reason } = this.#error ?? {}
    this.#resolve(this.#error === undefined ? this.#value : Promise.reject(reason))
  }
}
