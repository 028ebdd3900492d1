import { isNativeError } from 'node:util/types'
import type { FieldError } from '../contracts/schema.js'
import { codeOf, HttpError, titleOf } from './http-error.js'

/** The parts of an error that the client receives. */
export interface KnownFailure {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly errors: readonly FieldError[] | undefined
  readonly headers: Readonly<Record<string, unknown>> | undefined
}

/**
 * Reads any thrown or rejected value. Only two kinds of errors keep their status: the framework's own errors, which are
 * recognized by a symbol, and errors from `http-errors`, which Express middlewares throw. An `AppClosingError`, the
 * abort reason of `req.signal` when the application closes, results in a 503 response. Every other value results in a
 * 500 response without details. Never throws, even if a getter of the value throws.
 */
export function toFailure(error: unknown): KnownFailure {
  return recognize(error) ?? generic(500)
}

/**
 * Returns the status of the response to an error in a route. An `HttpError` and an error from the package `http-errors`
 * keep their status; for any other value, the status is 500. Error middlewares and a plugin's `explain` can still
 * change the status. Never throws.
 *
 * @example
 * const mayHelpToRetry = statusOf(error) >= 500
 */
export function statusOf(error: unknown): number {
  return toFailure(error).status
}

/**
 * Whether an error that a guard threw is a decision about the request. An HTTP error (403, 503, …) is a decision, and
 * keeps its status. Any other error means that the guard failed. Never throws.
 */
export function isDecision(error: unknown): boolean {
  return HttpError.is(error) || toFailure(error).status !== 500
}

/**
 * Reads an error from an Express middleware, router or application as Express's own final handler does. An error with a
 * status keeps it (passport, express-jwt, any `err.status = 404`). For an error without a status, `responseStatus` is
 * used, as after `res.status(403)` and `next(error)`. Errors in routes do not keep such a status, because HTTP clients
 * throw errors with the status that they received from another server.
 */
export function toMiddlewareFailure(error: unknown, responseStatus: number): KnownFailure {
  return recognize(error) ?? generic(statedStatus(error) ?? validStatus(responseStatus))
}

function recognize(error: unknown): KnownFailure | undefined {
  try {
    if (HttpError.is(error)) return fromHttpError(error)
    if (isHttpErrorsError(error)) return fromHttpErrors(error)
    // The status is 503, because another process can handle the request.
    if (error instanceof AppClosingError)
      return { ...generic(503), headers: { 'Retry-After': '1' } }
  } catch {
    // The value is a proxy or has a getter that throws. It must not determine the response.
  }
  return undefined
}

function statedStatus(error: unknown): number | undefined {
  // A Fetch `Response` also has a `status`, but it is the response of another server.
  if (!isNativeError(error)) return undefined
  try {
    const { status, statusCode } = error as { status?: unknown; statusCode?: unknown } & Error
    return [status, statusCode].find(isErrorStatus)
  } catch {
    return undefined
  }
}

function fromHttpError(error: HttpError): KnownFailure {
  const { status } = error
  // Only an error from another copy of the package, or an instance of an incorrect subclass, can have an invalid
  // status.
  if (validStatus(status) !== status) return generic(500)
  return {
    status,
    code: String(error.code),
    message: error.expose ? String(error.message) : titleOf(status),
    errors: error.errors,
    headers: error.headers,
  }
}

interface HttpErrorsError extends Error {
  readonly status: number
  readonly expose: boolean
  readonly headers?: Record<string, unknown>
}

// `isHttpError` of http-errors 2 makes the same check, because the package does not mark its errors.
function isHttpErrorsError(error: unknown): error is HttpErrorsError {
  if (!(error instanceof Error)) return false
  const { expose, status, statusCode } = error as Error & Record<string, unknown>
  return typeof expose === 'boolean' && typeof status === 'number' && status === statusCode
}

function fromHttpErrors(error: HttpErrorsError): KnownFailure {
  const base = generic(validStatus(error.status))
  // `createError(302)` exposes its message, because its status is below 500. The response has the status 500, so the
  // message must not be sent.
  if (base.status !== error.status) return base
  return {
    ...base,
    message: error.expose ? String(error.message) : base.message,
    headers: error.headers,
  }
}

function generic(status: number): KnownFailure {
  const title = titleOf(status)
  return { status, code: codeOf(title), message: title, errors: undefined, headers: undefined }
}

function validStatus(status: number): number {
  return isErrorStatus(status) ? status : 500
}

function isErrorStatus(status: unknown): status is number {
  return Number.isInteger(status) && (status as number) >= 400 && (status as number) <= 599
}

/**
 * The abort reason of `req.signal` when the application closes. If the response has begun, the signal aborts as soon as
 * closing begins; otherwise, it aborts shortly before `timeouts.close` has passed. A handler that streams should end
 * its stream. It can still send data until `timeouts.close` has passed. Any other abort reason means that no client is
 * waiting for the rest of the response.
 *
 * @example
 * req.signal.addEventListener('abort', () => {
 *   if (req.signal.reason instanceof AppClosingError) res.write('event: restart\n\n')
 *   res.end()
 * })
 */
export class AppClosingError extends Error {
  /** Always `AppClosingError`. */
  override readonly name = 'AppClosingError'

  /** Creates the error. Only the framework calls this constructor. */
  constructor() {
    super('The application is closing')
  }
}
