import { isNativeError } from 'node:util/types'
import type { FieldError } from '../contracts/schema.js'
import { codeOf, HttpError, titleOf } from './http-error.js'

/** The parts of an error that the client may see. */
export interface KnownFailure {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly errors: readonly FieldError[] | undefined
  readonly headers: Readonly<Record<string, unknown>> | undefined
}

/**
 * Reads any thrown or rejected value. Only two kinds of errors keep their status: the framework's own errors,
 * recognized by a symbol, and errors of `http-errors`, which Express middlewares throw. The abort reason of
 * `req.signal` when the application closes becomes a 503. Every other value becomes a 500 without details. Never
 * throws, even if a getter of the value throws.
 */
export function toFailure(error: unknown): KnownFailure {
  return recognize(error) ?? generic(500)
}

/**
 * Returns the status of the response to an error of a route: the status of an `HttpError`, or of an error of the
 * package `http-errors`; 500 for any other value. Error middlewares and a plugin's `explain` may still change it. Never
 * throws.
 *
 * @example
 * const mayHelpToRetry = statusOf(error) >= 500
 */
export function statusOf(error: unknown): number {
  return toFailure(error).status
}

/**
 * Whether an error that a guard threw is its decision about the request: an HTTP error, which keeps its status (403,
 * 503, …). Any other error is a failure of the guard. Never throws.
 */
export function isDecision(error: unknown): boolean {
  return HttpError.is(error) || toFailure(error).status !== 500
}

/**
 * Reads an error of an Express middleware, router or application like Express' own final handler: an error with a
 * status keeps it (passport, express-jwt, any `err.status = 404`); an error without a status gets `responseStatus`, as
 * after `res.status(403)` and `next(error)`. Errors of routes do not keep such a status, because HTTP clients throw
 * errors with the status that they received.
 */
export function toMiddlewareFailure(error: unknown, responseStatus: number): KnownFailure {
  return recognize(error) ?? generic(statedStatus(error) ?? validStatus(responseStatus))
}

function recognize(error: unknown): KnownFailure | undefined {
  try {
    if (HttpError.is(error)) return fromHttpError(error)
    if (isHttpErrorsError(error)) return fromHttpErrors(error)
    // A 503, because another process can handle the request.
    if (error instanceof AppClosingError)
      return { ...generic(503), headers: { 'Retry-After': '1' } }
  } catch {
    // A proxy or a throwing getter: the value must not determine the response.
  }
  return undefined
}

function statedStatus(error: unknown): number | undefined {
  // The status of a Fetch `Response` is the status of another server's response.
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
  // Only another copy of the package, or a broken subclass, has an invalid status.
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

// The same check as in `isHttpError` of http-errors 2, because the package does not mark its errors.
function isHttpErrorsError(error: unknown): error is HttpErrorsError {
  if (!(error instanceof Error)) return false
  const { expose, status, statusCode } = error as Error & Record<string, unknown>
  return typeof expose === 'boolean' && typeof status === 'number' && status === statusCode
}

function fromHttpErrors(error: HttpErrorsError): KnownFailure {
  const base = generic(validStatus(error.status))
  // `createError(302)` exposes its message, because its status is below 500. The response to it is a 500.
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
 * The abort reason of `req.signal` if the application closes after the response to the request has begun. A handler
 * that streams should end its stream; it has until `timeouts.close` to send the rest. Any other abort reason means that
 * no client is waiting for the rest of the response.
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

  /** Called only by the framework. */
  constructor() {
    super('The application is closing')
  }
}
