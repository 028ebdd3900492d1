import type { FieldError } from '../contracts/schema.js'

/** The body of a success response. */
export interface SuccessEnvelope<TData = unknown> {
  readonly statusCode: 'success'
  readonly status: number
  readonly message: string
  /** Absent when there is no data. */
  readonly data?: TData
}

/** The body of an error response. */
export interface ErrorEnvelope {
  readonly statusCode: 'error'
  readonly status: number
  readonly message: string
  /** A machine-readable code; see `docs/errors.md`. */
  readonly code: string
  /** The rejected fields, at most 20. */
  readonly errors?: readonly FieldError[]
  /** The value of `req.id`, if a middleware has set it. */
  readonly requestId?: string
}

/** The same error for clients that accept `application/problem+json` (RFC 9457). */
export interface ProblemDetails {
  readonly type: 'about:blank'
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly errors?: readonly FieldError[]
  readonly requestId?: string
}

/** Puts the data of a success into the envelope. */
export function successEnvelope<TData>(
  status: number,
  message: string,
  data: TData,
): SuccessEnvelope<TData> {
  return { statusCode: 'success', status, message, data }
}
