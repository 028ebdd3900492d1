import type { Request, Response } from './handler.js'

/**
 * One step of a route. A step calls the next step and returns its result, at once or as a promise, or it ends the
 * request itself. A step refuses the request by throwing an `HttpError`, or by returning a `Refusal`, which is faster.
 * `next` throws the error of a later refusal. The result of a handler that has sent its response itself is `res`.
 */
export type Step = (req: Request, res: Response) => unknown

/**
 * Makes a step. Called once for each route, at boot.
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
 * The phases of a request in a route, in their order. Each step belongs to one. `docs/express.md` lists the steps of each.
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

/** The name of a step of a route, in the order of the steps in a request. `docs/express.md` describes each step. */
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
 * How a request ended. `'sent'`: the response was handed to the connection. `'aborted'`: the connection closed before.
 * `'timeout'`: the handler timeout ended the request; the client has received a 503.
 */
export type RequestOutcome = 'sent' | 'aborted' | 'timeout'

/** The steps that a plugin adds to one route, in the order in which they run. */
export interface PluginSteps {
  /**
   * Around all other steps and around the sending of the response, for an async context. It must return the result of
   * `next` and cannot refuse: the result is always `undefined`.
   */
  readonly enter?: StepFactory
  /**
   * Before the guard. Such a step calls `next` and waits for its result, or refuses the request. A step that returns a
   * value before `next` has returned one causes a 500, so that no step can respond in place of the guard.
   */
  readonly beforeGuard?: StepFactory
  /** Runs after the guard has allowed the request, and before `@Can`. On a route without a guard, it also runs. */
  readonly afterGuard?: StepFactory
  /**
   * After access was decided and the middlewares of `@Use` have run, before the body is read. A cache sends its responses
   * here.
   */
  readonly beforeBody?: StepFactory
  /** After all inputs were validated, before interceptors and the handler. Runs once for each request. */
  readonly beforeHandler?: StepFactory
  /**
   * Around the handler, inside all interceptors: an interceptor that calls the handler again calls this step again. It
   * may change the handler's result or error.
   */
  readonly aroundHandler?: StepFactory
  /**
   * Called when the response is decided, immediately before its head is written: the status is final, and headers can
   * still be set. A returned promise is not awaited. An error is logged and changes nothing. A step that sends a
   * response here gets a `TypeError`, and the connection is closed.
   */
  readonly onResponse?: (req: Request, res: Response) => void
  /** Called once at the end of the request. An error is logged. */
  readonly onEnd?: (req: Request, res: Response, outcome: RequestOutcome) => void
}
