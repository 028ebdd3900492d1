import type { Request, Response } from './handler.js'

/**
 * One step of a route. A step calls the next step and returns its result, directly or as a promise, or it ends the
 * request itself. A step refuses the request by throwing an `HttpError`, or by returning a `Refusal`, which is faster.
 * If a later step refuses, `next` throws or rejects with the error. If the handler has sent its response itself, the
 * result of `next` is `res`.
 */
export type Step = (req: Request, res: Response) => unknown

/**
 * Creates a step. The framework calls this function once for each route, at boot.
 *
 * @param next The step that runs after the new one.
 * @example
 * const timed: StepFactory = (next) => async (req, res) => {
 *   const start = performance.now()
 *   try {
 *     return await next(req, res)
 *   } finally {
 *     console.log(req.url, performance.now() - start)
 *   }
 * }
 */
export type StepFactory = (next: Step) => Step

/**
 * The phases of a request in a route, in order. Each step belongs to one phase. `docs/express.md` lists the steps of
 * each phase.
 */
export type Phase =
  | 'enter'
  | 'admit'
  | 'authenticate'
  | 'authorize'
  | 'select'
  | 'read'
  | 'prepare'
  | 'handle'

/** The names of route steps, in the order in which a request passes them. `docs/express.md` describes each step. */
export type StepName =
  | 'scope'
  | 'observe'
  | 'enter'
  | 'respond'
  | 'ipRateLimit'
  | 'beforeGuard'
  | 'unverifiedTenant'
  | 'guard'
  | 'tenant'
  | 'authorizeTenant'
  | 'afterGuard'
  | 'can'
  | 'userRateLimit'
  | 'use'
  | 'negotiate'
  | 'beforeBody'
  | 'visibility'
  | 'cache'
  | 'body'
  | 'queryCache'
  | 'cookies'
  | 'hiddenInput'
  | 'validate'
  | 'unexpired'
  | 'headers'
  | 'fields'
  | 'dates'
  | 'beforeHandler'
  | 'intercept'
  | 'aroundHandler'
  | 'underTest'
  | 'stream'
  | 'parameters'
  | 'handler'

/**
 * How a request ended. `'sent'`: the response was passed to the connection. `'aborted'`: the connection closed before
 * that. `'timeout'`: the handler timeout ended the request; the client has received a 503 response.
 */
export type RequestOutcome = 'sent' | 'aborted' | 'timeout'

/** The steps that a plugin adds to one route, in the order in which they run. */
export interface PluginSteps {
  /**
   * Runs around all other steps and the sending of the response, to open an async context. It must return the result of
   * `next`, which is always `undefined`, and cannot refuse the request.
   */
  readonly enter?: StepFactory
  /**
   * Runs before the guard. The step calls `next` and waits for its result, or refuses the request. If the step returns
   * a value before `next` has returned, the client receives a 500 response. Thus no step can respond in place of the
   * guard.
   */
  readonly beforeGuard?: StepFactory
  /** Runs after the guard has allowed the request, and before `@Can`. It runs even on a route without a guard. */
  readonly afterGuard?: StepFactory
  /**
   * Runs after access has been granted and the middlewares of `@Use` have run, but before the body is read. A cache
   * sends its responses here.
   */
  readonly beforeBody?: StepFactory
  /** Runs once for each request, after the validation of all inputs and before interceptors and the handler. */
  readonly beforeHandler?: StepFactory
  /**
   * Runs around the handler, inside all interceptors: an interceptor that calls the handler again calls this step
   * again. It can change the handler's result or error.
   */
  readonly aroundHandler?: StepFactory
  /**
   * The framework calls this function when the response is determined, immediately before its head is written: the
   * status is final, and headers can still be set. A returned promise is not awaited. If the function throws, the error
   * is logged and has no other effect. If the function tries to send a response, its call throws a `TypeError`, and the
   * connection is closed.
   */
  readonly onResponse?: (req: Request, res: Response) => void
  /** The framework calls this function once, at the end of the request. If it throws, the error is logged. */
  readonly onEnd?: (req: Request, res: Response, outcome: RequestOutcome) => void
}
