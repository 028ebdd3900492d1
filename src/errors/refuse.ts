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

/** The properties of an error, in addition to its code and message. */
interface RefuseOptions extends Omit<HttpErrorOptions, 'code'> {
  /** The status. Default: the status of the code. */
  readonly status?: number
  /** Whether the error has a stack trace. It begins at the caller of {@link refuse}. Default: false. */
  readonly stack?: boolean
}

/** The codes whose errors have their own classes. Error middlewares can check these classes with `instanceof`. */
const CLASSES: Partial<Record<ErrorCode, new (message?: string, options?: object) => HttpError>> = {
  UNAUTHORIZED: UnauthorizedError,
  FORBIDDEN: ForbiddenError,
  NOT_FOUND: NotFoundError,
  METHOD_NOT_ALLOWED: MethodNotAllowedError,
  TOO_MANY_REQUESTS: TooManyRequestsError,
}

/**
 * Creates the error with which the framework refuses a request. The error has the status of its code. It has no stack
 * trace, because the problem is in the request and not in the program. All of the framework's own errors that result in
 * a response are created here.
 *
 * If a line of the program caused the error (a query without a tenant, or to a database that cannot be reached), use
 * `stack: true`, so that the log shows this line.
 *
 * @param message The message for the client. Default: the name of the status.
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
 * Creates an error whose `stack` is only its first line, because collecting ten frames took 20,000 to 80,000
 * instructions, as many as the rest of an error response. Only `make` runs between the two assignments, so all other
 * errors keep the limit that the application set.
 */
export function withoutStack<TError>(make: () => TError): TError {
  const { stackTraceLimit } = Error
  try {
    Error.stackTraceLimit = 0
  } catch {
    // The program froze `Error` (`--frozen-intrinsics`, SES).
    return make()
  }
  try {
    return make()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
