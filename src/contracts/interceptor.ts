import type { MiddlewareList, RequestHandler, Response } from './handler.js'
import type { Token } from './provider.js'

/**
 * Wraps the handler of a route: it can change the result, map errors, call the handler again, or measure the time. It
 * runs after the validation of all inputs.
 *
 * @example
 * class Retry implements Interceptor {
 *   async intercept(_req: Request, next: () => unknown) {
 *     try {
 *       return await next()
 *     } catch (error) {
 *       if (isSerializationFailure(error)) return next()
 *       throw error
 *     }
 *   }
 * }
 */
export interface Interceptor {
  /**
   * Returns the value to send, or a promise of the value, or throws.
   *
   * @param next Calls further interceptors, then the handler. Returns the handler's result, or a promise of it if the
   * handler or an interceptor returns a promise, so write `await next()`. If the handler has sent the response itself,
   * the result is `res`.
   */
  // biome-ignore lint/suspicious/noExplicitAny: an interceptor may declare Express' request type or its own
  intercept(req: any, next: () => unknown, res: Response): unknown
}

/** An interceptor, or its token. The container constructs a class even if it is not listed as a provider. */
export type InterceptorEntry = Interceptor | Token<Interceptor>

/**
 * An entry of `@Use`: an Express middleware, a list of middlewares, or an interceptor. A function is a middleware,
 * unless it is a class with a method `intercept`.
 */
export type UseEntry = RequestHandler | MiddlewareList | InterceptorEntry

/** The entries of `@Use` of one route. */
export interface UsedByRoute {
  /** Express middlewares, in the order in which they run. */
  readonly middlewares: readonly RequestHandler[]
  /** Interceptors, the outermost first. */
  readonly interceptors: readonly InterceptorEntry[]
}
