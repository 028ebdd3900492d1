import { type ErrorCode, HTTP_CODES } from './codes.js'
import {
  ForbiddenError,
  HttpError,
  type HttpErrorOptions,
  MethodNotAllowedError,
  NotFoundError,
  TooManyRequestsError,
  UnauthorizedError,
} from './http-error.js'

/** The parts of an error beside its code and its message. */
interface RefuseOptions extends Omit<HttpErrorOptions, 'code'> {
  /** Default: the status of the code. */
  readonly status?: number
  /** Whether the error has a stack, which begins at the caller of {@link refuse}. Default: false. */
  readonly stack?: boolean
}

/** Codes whose errors have a class of their own, which error middlewares may test with `instanceof`. */
const CLASSES: Partial<Record<ErrorCode, new (message?: string, options?: object) => HttpError>> = {
  UNAUTHORIZED: UnauthorizedError,
  FORBIDDEN: ForbiddenError,
  NOT_FOUND: NotFoundError,
  METHOD_NOT_ALLOWED: MethodNotAllowedError,
  TOO_MANY_REQUESTS: TooManyRequestsError,
}

/**
 * Makes the error with which the framework refuses a request. It has the status of its code, and no stack, because
 * the mistake is in the request, and not in a line of the program. Every error of the framework that becomes a
 * response is made here.
 *
 * An error that a line of a program has caused (a query without a tenant, a database that cannot be reached) needs
 * `stack: true`, so that the log shows that line.
 *
 * @param message A text for the client. Default: the name of the status.
 */
export function refuse(code: ErrorCode, message?: string, options?: RefuseOptions): HttpError {
  const error = withoutStack(() => create(code, message, options))
  if (options?.stack === true) Error.captureStackTrace(error, refuse)
  return error
}

function create(code: ErrorCode, message?: string, options?: RefuseOptions): HttpError {
  const Class = CLASSES[code]
  if (Class !== undefined) return new Class(message, options)
  return new HttpError(options?.status ?? HTTP_CODES[code], message, { ...options, code })
}

/**
 * Makes an error whose `stack` is its first line alone. Looking up ten frames took 20 to 80 thousand instructions, as
 * many as the rest of an error response. Nothing else can run between the two assignments, so errors of the program
 * keep the limit that the program has set.
 */
export function withoutStack<TError>(make: () => TError): TError {
  const { stackTraceLimit } = Error
  try {
    Error.stackTraceLimit = 0
  } catch {
    // The program has frozen it (`--frozen-intrinsics`, SES).
    return make()
  }
  try {
    return make()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
