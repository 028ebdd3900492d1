import type { Request, RequestUser } from './handler.js'
import type { RouteModel } from './route-model.js'
import type { TraceContext } from './trace.js'

/** Where an error comes from. An error outside of requests has `message` alone. */
export interface ErrorContext {
  /** The failure, as the message of the log line. */
  readonly message: string
  /** The status of the response; if something else was sent, the status of the error. */
  readonly status?: number
  /** The request. Read it at once: the response is sent after `onError` has returned. */
  readonly req?: Request
  /** The route; absent when the request matched no route. */
  readonly route?: RouteModel
  /** The `requestId` of the response and of the log line. */
  readonly requestId?: string
  /** The trace of the request. */
  readonly trace?: TraceContext
  /** The tenant that the request acts for. */
  readonly tenant?: string
  /** The user, if the guard has set one. */
  readonly user?: NonNullable<RequestUser>
}

/**
 * The `onError` option: receives errors for an error tracker. A returned promise is not awaited.
 *
 * @example
 * const report: ErrorReporter = (error, { requestId }) => {
 *   tracker.captureException(error, { tags: { requestId } })
 * }
 */
export type ErrorReporter = (error: unknown, context: ErrorContext) => unknown
