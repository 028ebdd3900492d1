import type { RouteModel } from '../contracts/route-model.js'
import type { FieldError } from '../contracts/schema.js'
import type { ErrorFormat, ErrorWire } from '../contracts/wire-format.js'

/** The body of a success response. */
export interface SuccessEnvelope<TData = unknown> {
  /** Distinguishes a success response from an error response. */
  readonly statusCode: 'success'
  /** The status of the response, 200 to 399. */
  readonly status: number
  /** A message for people. */
  readonly message: string
  /** The data; absent if there is none. */
  readonly data?: TData
}

/** The body of an error response. */
export interface ErrorEnvelope {
  /** Distinguishes an error response from a success response. */
  readonly statusCode: 'error'
  /** The status of the response, 400 to 599. */
  readonly status: number
  /** A message for people. It is never the message of an unexpected error. */
  readonly message: string
  /** A machine-readable code; see `docs/errors.md`. */
  readonly code: string
  /** The rejected fields, at most 20. */
  readonly errors?: readonly FieldError[]
  /**
   * The value of `req.id`. It is always present from status 500 on. Below 500, it is present only with `requestIds`, or
   * if a middleware or a handler read or set the ID.
   */
  readonly requestId?: string
}

/** The same error for clients that accept `application/problem+json` (RFC 9457). */
export interface ProblemDetails {
  /** Always `about:blank`: `code` identifies the problem. */
  readonly type: 'about:blank'
  /** The reason phrase of the status: `Not Found`. */
  readonly title: string
  /** The status of the response, 400 to 599. */
  readonly status: number
  /** The `message` of {@link ErrorEnvelope}. */
  readonly detail: string
  /** The `code` of {@link ErrorEnvelope}. */
  readonly code: string
  /** The rejected fields, at most 20. */
  readonly errors?: readonly FieldError[]
  /** The `requestId` of {@link ErrorEnvelope}. */
  readonly requestId?: string
}

/** Returns the error format of a route's envelope; `undefined` if the application's error format applies. */
export function errorFormatOf({ envelope }: Pick<RouteModel, 'envelope'>): ErrorFormat | undefined {
  return typeof envelope === 'object' ? envelope.error : undefined
}

/** Returns the error format of a route. */
export function errorWireOf(route: Pick<RouteModel, 'envelope'>, ofApp: ErrorWire): ErrorWire {
  return errorFormatOf(route) ?? ofApp
}
