import { STATUS_CODES } from 'node:http'
import type { FieldError } from '../contracts/schema.js'
import { type ErrorCode, HTTP_CODES } from './codes.js'

/** What may be said about an HTTP error beside its message. */
export interface HttpErrorOptions extends ErrorOptions {
  /** Machine-readable code in the answer. Default: the name of the status, `NOT_FOUND`. */
  readonly code?: string
  /** Rejected fields. */
  readonly errors?: readonly FieldError[]
  /** Headers to send with the answer. */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the client may read the message. Default: true below 500. */
  readonly expose?: boolean
}

// Two copies of the package in one process (a linked workspace, a duplicated install) must agree on what
// an HTTP error is, which `instanceof` cannot do and a check of names or shapes would do too easily.
const kHttpError = Symbol.for('blazon.HttpError')

/**
 * An error with a status. Thrown anywhere below a handler, or passed to `next`, it becomes the
 * answer. Below 500 the client reads the message; from 500 on it reads the name of the status
 * unless `expose` is true, because such messages tend to carry what no client should see.
 *
 * @example
 * throw new HttpError(402, 'The card was declined', { code: 'CARD_DECLINED' })
 */
export class HttpError extends Error {
  /** HTTP status, 400 to 599. */
  readonly status: number
  /** Machine-readable code. */
  readonly code: string
  /** Rejected fields, if any. */
  readonly errors: readonly FieldError[] | undefined
  /** Headers sent with the answer. */
  readonly headers: Readonly<Record<string, string>> | undefined
  /** Whether the client may read the message. */
  readonly expose: boolean

  /**
   * Makes an error with a status.
   *
   * @param status 400 to 599.
   * @param message Written for the client. Default: the name of the status.
   * @param options Code, rejected fields, headers, cause, and whether the client may read the
   * message.
   * @throws RangeError where the status is not 400 to 599.
   */
  constructor(status: number, message?: string, options: HttpErrorOptions = {}) {
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new RangeError(`HttpError: ${status} is not an error status; use 400 to 599.`)
    }
    const title = titleOf(status)
    super(message ?? title, options.cause === undefined ? undefined : { cause: options.cause })
    this.status = status
    this.code = options.code ?? codeOf(title)
    this.errors = options.errors
    this.headers = options.headers
    this.expose = options.expose ?? status < 500
  }

  /** Whether `value` is an HTTP error, whichever copy of the package made it. Never throws. */
  static is(value: unknown): value is HttpError {
    try {
      return typeof value === 'object' && value !== null && kHttpError in value
    } catch {
      // A proxy can refuse the question.
      return false
    }
  }
}

// On the prototype: set on each error, the two took as long as all else of one without a stack. Not accessors of the
// class, because TypeScript would let no subclass have a field `name`.
Object.defineProperties(HttpError.prototype, {
  [kHttpError]: { value: true },
  name: {
    configurable: true,
    // A subclass shows its own.
    get(this: HttpError) {
      return this.constructor.name
    },
    set(this: HttpError, value: unknown) {
      Object.defineProperty(this, 'name', { value, writable: true, configurable: true })
    },
  },
})

/** The registered title of a status; `HTTP 499` where there is none. */
export function titleOf(status: number): string {
  return STATUS_CODES[status] ?? `HTTP ${status}`
}

const codes = new Map<string, string>()

/** The title of a status as a code: `Not Found` is `NOT_FOUND`. There are no more titles than statuses. */
export function codeOf(title: string): string {
  const known = codes.get(title)
  if (known !== undefined) return known
  const code = title.toUpperCase().replace(/[^A-Z0-9]+/g, '_')
  codes.set(title, code)
  return code
}

/** 400. The request is wrong in a way no schema describes. */
export class BadRequestError extends HttpError {
  /** Makes the error. Default message: `Bad Request`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(400, message, options)
  }
}

/** 401. There is no valid credential. */
export class UnauthorizedError extends HttpError {
  /** Makes the error. Default message: `Unauthorized`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(401, message, options)
  }
}

/** 403. The credential is valid, the permission is missing. */
export class ForbiddenError extends HttpError {
  /** Makes the error. Default message: `Forbidden`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(403, message, options)
  }
}

/** 404. @example throw new NotFoundError(`User ${id} does not exist`) */
export class NotFoundError extends HttpError {
  /** Makes the error. Default message: `Not Found`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(404, message, options)
  }
}

/** 405. Send the `Allow` header with it (RFC 9110, 15.5.6). */
export class MethodNotAllowedError extends HttpError {
  /** Makes the error. Default message: `Method Not Allowed`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(405, message, options)
  }
}

/** 409. The request collides with what is stored. @example throw new ConflictError('The e-mail is taken') */
export class ConflictError extends HttpError {
  /** Makes the error. Default message: `Conflict`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(409, message, options)
  }
}

/** 413. The body is larger than the limit. */
export class PayloadTooLargeError extends HttpError {
  /** Makes the error. Default message: `Payload Too Large`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(413, message, options)
  }
}

/** 415. The body is of a type the route does not read. */
export class UnsupportedMediaTypeError extends HttpError {
  /** Makes the error. Default message: `Unsupported Media Type`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(415, message, options)
  }
}

/** 422. The request is well-formed but cannot be carried out. */
export class UnprocessableEntityError extends HttpError {
  /** Makes the error. Default message: `Unprocessable Entity`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(422, message, options)
  }
}

/** 429. The client asks too often. */
export class TooManyRequestsError extends HttpError {
  /** Makes the error. Default message: `Too Many Requests`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(429, message, options)
  }
}

/** 500. The message is for the log; the client reads `Internal Server Error`. */
export class InternalServerError extends HttpError {
  /** Makes the error. Default message: `Internal Server Error`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(500, message, options)
  }
}

/** 503. The message is for the log unless `expose` is true. */
export class ServiceUnavailableError extends HttpError {
  /** Makes the error. Default message: `Service Unavailable`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(503, message, options)
  }
}

/** A framework error whose code is more exact than its status. */
export function codedError(
  code: ErrorCode,
  message: string,
  options?: HttpErrorOptions,
): HttpError {
  return new HttpError(HTTP_CODES[code], message, { ...options, code })
}

/**
 * The same, to refuse a request with: what is wrong is with the request, and no line of a program is to be looked for.
 * Not for what a program has called, which must find its way back to that line.
 */
export function refused(code: ErrorCode, message: string, options?: HttpErrorOptions): HttpError {
  return withoutStack(() => codedError(code, message, options))
}

/**
 * Makes an error whose `stack` is its first line alone: looking up ten frames took 20 to 80 thousand instructions, as many as
 * all else of an answer. Nothing else can run meanwhile, so that whatever the program has set is there again for its own errors.
 */
export function withoutStack<TError>(make: () => TError): TError {
  const { stackTraceLimit } = Error
  try {
    Error.stackTraceLimit = 0
  } catch {
    // A program has frozen it (`--frozen-intrinsics`, SES).
    return make()
  }
  try {
    return make()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
