import type { FieldError } from '../contracts/schema.js'

/** The body of a success (specification section 2.1). */
export interface SuccessEnvelope<TData = unknown> {
  readonly statusCode: 'success'
  readonly status: number
  readonly message: string
  /** Absent when there is nothing to carry. */
  readonly data?: TData
}

/** The body of a failure. */
export interface ErrorEnvelope {
  readonly statusCode: 'error'
  readonly status: number
  readonly message: string
  /** Machine-readable; see `docs/errors.md`. */
  readonly code: string
  /** Rejected fields, at most 20. */
  readonly errors?: readonly FieldError[]
  /** `req.id`, where a middleware sets one. */
  readonly requestId?: string
}

/** The same failure for clients that ask for `application/problem+json` (RFC 9457). */
export interface ProblemDetails {
  readonly type: 'about:blank'
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly errors?: readonly FieldError[]
  readonly requestId?: string
}

/** The envelope around the data of a success. */
export function successEnvelope<TData>(
  status: number,
  message: string,
  data: TData,
): SuccessEnvelope<TData> {
  return { statusCode: 'success', status, message, data }
}
