import { AsyncLocalStorage } from 'node:async_hooks'
import type { Request } from '../contracts/handler.js'

/**
 * The request that code runs for. Node's async context carries it into everything that the code awaits or starts. The
 * framework enters no such context by itself, because it costs time in every request. The `enter` step of a plugin
 * does, on the routes that need it.
 *
 * @example
 * const requestContext: Plugin = {
 *   name: 'request-context',
 *   steps: () => ({ enter: (next) => (req, res) => RequestContext.run(req, next, req, res) }),
 * }
 */
export class RequestContext {
  static readonly #storage = new AsyncLocalStorage<Request>()

  /** Returns the current request; `undefined` where no context was entered. */
  static current(): Request | undefined {
    return RequestContext.#storage.getStore()
  }

  /**
   * Runs a function in the context of a request and returns its result.
   *
   * @param req The request. Node keeps it in memory as long as anything that the function has started.
   * @param fn The function.
   * @param args The arguments of the function.
   */
  static run<T, A extends unknown[]>(req: Request, fn: (...args: A) => T, ...args: A): T {
    return RequestContext.#storage.run(req, fn, ...args)
  }
}
