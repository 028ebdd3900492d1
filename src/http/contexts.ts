import { AsyncLocalStorage } from 'node:async_hooks'
import type { Request } from '../contracts/handler.js'
import type { Plugin } from '../contracts/plugin.js'
import type { StepFactory } from '../contracts/steps.js'

/**
 * The request for which the current code runs. Node's async context propagates the request to everything that the code
 * awaits or starts. The framework does not enter this context by default, because entering it takes time in every
 * request. The `enter` step of a plugin can enter it on the routes that need it.
 *
 * @example
 * const requestContext: Plugin = {
 *   name: 'request-context',
 *   steps: () => ({ enter: (next) => (req, res) => RequestContext.run(req, next, req, res) }),
 * }
 */
export class RequestContext {
  static readonly #storage = new AsyncLocalStorage<Request>()

  /** Returns the current request; `undefined` if no context was entered. */
  static current(): Request | undefined {
    return RequestContext.#storage.getStore()
  }

  /**
   * Runs a function in the context of a request and returns its result.
   *
   * @param req The request. Node keeps it in memory until all work that the function started has ended.
   * @param fn The function.
   * @param args The arguments of the function.
   */
  static run<T, A extends unknown[]>(req: Request, fn: (...args: A) => T, ...args: A): T {
    return RequestContext.#storage.run(req, fn, ...args)
  }
}

/**
 * The current request of one application: the request for whose route the current code runs. Routes enter an async
 * context only if a part of the application needs it, because entering it takes time in every request.
 */
export class CurrentRequest {
  #requests: AsyncLocalStorage<Request> | null = null
  #underTest: (() => Request | undefined) | null = null

  /** Makes routes enter an async context with the request. This affects only routes that are compiled later. */
  need(): void {
    this.#requests ??= new AsyncLocalStorage()
  }

  /**
   * Sets a function that returns the current request of a test. With this function, routes have the same steps in tests
   * as in production.
   */
  setUnderTest(requestOf: () => Request | undefined): void {
    this.#underTest = requestOf
  }

  /** Returns the request; `undefined` outside a route, or if {@link need} was not called. */
  get(): Request | undefined {
    return this.#requests === null ? this.#underTest?.() : this.#requests.getStore()
  }

  /** The plugin that stores the request in an async context for its route; none if {@link need} was not called. */
  get plugins(): readonly Plugin[] {
    const requests = this.#requests
    if (requests === null) return []
    const enter: StepFactory = (next) => (req, res) => requests.run(req, next, req, res)
    return [{ name: 'current-request', steps: () => ({ enter }) }]
  }

  /**
   * Disables the async context. Before Node 24, each promise of the process copies every context that is not disabled.
   */
  close(): void {
    this.#requests?.disable()
    // Since Node 24, functions that were bound in a disabled context still read it.
    this.#requests = null
  }
}

/** A unit of work outside a request, such as a job. */
export interface Work {
  /** The ID of the item in `Plugin.work`. If omitted, the item is not listed. */
  readonly id?: string
  /** The fields to add to each line that the work writes with `Log`. */
  readonly facts: Readonly<Record<string, unknown>>
  /** The headers that `Outgoing` adds to calls to known hosts: the request ID and the trace of the sender. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Returns the `Idempotency-Key` for the next call with an unsafe method. If omitted, such calls have a key only if
   * the program sets one.
   */
  readonly idempotencyKey?: () => string
}

/**
 * The work, outside a request, for which the current code runs. Node's async context propagates the work to everything
 * that the code awaits or starts. `Log` and `Outgoing` read it if there is no request.
 *
 * @example
 * WorkContext.run({ id, facts: { job: 'receipt', requestId }, headers: { 'x-request-id': requestId } }, () => work())
 */
export class WorkContext {
  static readonly #storage = new AsyncLocalStorage<Work>()

  /** Returns the current work; `undefined` if there is none. */
  static current(): Work | undefined {
    return WorkContext.#storage.getStore()
  }

  /** Runs a function as a part of work, and returns its result. */
  static run<T>(work: Work, fn: () => T): T {
    return WorkContext.#storage.run(work, fn)
  }
}
