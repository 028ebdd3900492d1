import type { RequestHandler } from './handler.js'

/**
 * A `GET` route of the framework itself or of a plugin: without a controller, a guard or a rate limit, and neither in the
 * route table nor in the document.
 */
export interface FrameworkRoute {
  /** Full path in the syntax of controllers, literal segments only. `prefix` is not put before it. */
  readonly path: string
  /**
   * Handles the request. If it throws or rejects, the request fails as in other routes. Without a response, it is a 503
   * after `timeouts.handler`.
   */
  readonly handle: RequestHandler
  /** Whether monitoring calls the route all the time: the log of requests writes it as `debug`. Default `false`. */
  readonly quiet?: boolean
  /**
   * Whether the route runs before `security`, tenants and middlewares, so they cannot delay or refuse a request.
   * Default `false`.
   */
  readonly early?: boolean
  /** The remedy if a controller has the same route. Default: a sentence that fits every plugin. */
  readonly remedy?: string
}
