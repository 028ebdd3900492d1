import { STATUS_CODES } from 'node:http'
import type { FieldError } from '../contracts/schema.js'

/** Options of an HTTP error. */
export interface HttpErrorOptions extends ErrorOptions {
  /** The machine-readable code in the response. Default: the code for the status, such as `NOT_FOUND`. */
  readonly code?: string
  /** The rejected fields. Default: none. */
  readonly errors?: readonly FieldError[]
  /** The response headers. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the client receives the message. Default: true below status 500. */
  readonly expose?: boolean
  /**
   * Whether the error is logged and passed to `onError` if its status is 500 or more. Use `false` for refusals that are
   * expected in large numbers and are counted elsewhere. Default: true.
   */
  readonly log?: boolean
}

// Two copies of the package in one process (a linked workspace, a duplicated install) must recognize each other's HTTP
// errors. `instanceof` cannot recognize them, and a check of names or shapes would match too many values.
const kHttpError = Symbol.for('blazon.HttpError')

/**
 * An error with a status. If a handler throws it or passes it to `next`, it determines the response. Below status 500,
 * the client receives the message. From 500 on, the client receives only the name of the status, because such messages
 * often contain internal details. The option `expose` replaces these defaults.
 *
 * @example
 * throw new HttpError(402, 'The card was declined', { code: 'CARD_DECLINED' })
 */
export class HttpError extends Error {
  /** The HTTP status, 400 to 599. */
  readonly status: number
  /** The machine-readable code. */
  readonly code: string
  /** The rejected fields, if there are any. */
  readonly errors: readonly FieldError[] | undefined
  /** The response headers. */
  readonly headers: Readonly<Record<string, string>> | undefined
  /** Whether the client receives the message. */
  readonly expose: boolean
  /** Whether the error is logged if its status is 500 or more. */
  declare readonly isLogged: boolean

  /**
   * Creates an error with a status.
   *
   * @param status 400 to 599.
   * @param message The message for the client. Default: the name of the status.
   * @param options The code, the rejected fields, the headers, the cause, and whether the client receives the message.
   * @throws RangeError for any other status.
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
    if (options.log === false) Object.defineProperty(this, 'isLogged', { value: false })
  }

  /** Whether `value` is an HTTP error of this or another copy of the package. Never throws. */
  static is(value: unknown): value is HttpError {
    try {
      return typeof value === 'object' && value !== null && kHttpError in value
    } catch {
      // The value is a proxy that throws.
      return false
    }
  }
}

// These fields are on the prototype, because setting them on each error took as long as all other work for an error
// without a stack trace. They are not class accessors, because TypeScript would then forbid a `name` field in
// subclasses.
Object.defineProperties(HttpError.prototype, {
  [kHttpError]: { value: true },
  isLogged: { value: true, writable: true },
  name: {
    configurable: true,
    // An instance of a subclass has the name of the subclass.
    get(this: HttpError) {
      return this.constructor.name
    },
    set(this: HttpError, value: unknown) {
      Object.defineProperty(this, 'name', { value, writable: true, configurable: true })
    },
  },
})

/** Returns the registered name of a status; for a status without a name, a string such as `HTTP 499`. */
export function titleOf(status: number): string {
  return STATUS_CODES[status] ?? `HTTP ${status}`
}

const codes = new Map<string, string>()

/**
 * Converts the name of a status to a code: `Not Found` becomes `NOT_FOUND`. The number of names is limited, so the
 * codes can be cached.
 */
export function codeOf(title: string): string {
  const known = codes.get(title)
  if (known !== undefined) return known
  const code = title.toUpperCase().replace(/[^A-Z0-9]+/g, '_')
  codes.set(title, code)
  return code
}

/** 400. The request is invalid in a way that schemas do not describe. */
export class BadRequestError extends HttpError {
  /** Creates the error. Default message: `Bad Request`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(400, message, options)
  }
}

/** 401. The request has no valid credential. */
export class UnauthorizedError extends HttpError {
  /** Creates the error. Default message: `Unauthorized`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(401, message, options)
  }
}

/** 403. The credential is valid, but the permission is missing. */
export class ForbiddenError extends HttpError {
  /** Creates the error. Default message: `Forbidden`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(403, message, options)
  }
}

/** 404. @example throw new NotFoundError(`User ${id} does not exist`) */
export class NotFoundError extends HttpError {
  /** Creates the error. Default message: `Not Found`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(404, message, options)
  }
}

/** 405. The response must have an `Allow` header (RFC 9110, 15.5.6). */
export class MethodNotAllowedError extends HttpError {
  /** Creates the error. Default message: `Method Not Allowed`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(405, message, options)
  }
}

/** 409. The request conflicts with the stored data. @example throw new ConflictError('The e-mail is taken') */
export class ConflictError extends HttpError {
  /** Creates the error. Default message: `Conflict`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(409, message, options)
  }
}

/**
 * 412. The data no longer has the version that the client specified with `If-Match` (RFC 9110, 13.1.1).
 *
 * @example
 * if (req.get('If-Match') !== note.etag) throw new PreconditionFailedError('The note has changed')
 */
export class PreconditionFailedError extends HttpError {
  /** Creates the error. Default message: `Precondition Failed`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(412, message, options)
  }
}

/** 413. The body is larger than the limit. */
export class PayloadTooLargeError extends HttpError {
  /** Creates the error. Default message: `Payload Too Large`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(413, message, options)
  }
}

/** 415. The route does not accept bodies of this type. */
export class UnsupportedMediaTypeError extends HttpError {
  /** Creates the error. Default message: `Unsupported Media Type`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(415, message, options)
  }
}

/** 422. The request is well-formed but cannot be processed. */
export class UnprocessableEntityError extends HttpError {
  /** Creates the error. Default message: `Unprocessable Entity`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(422, message, options)
  }
}

/** 429. The client has sent too many requests. */
export class TooManyRequestsError extends HttpError {
  /** Creates the error. Default message: `Too Many Requests`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(429, message, options)
  }
}

/** 500. The message is for the log; the client receives `Internal Server Error`. */
export class InternalServerError extends HttpError {
  /** Creates the error. Default message: `Internal Server Error`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(500, message, options)
  }
}

/** 503. The message is for the log unless `expose` is true. */
export class ServiceUnavailableError extends HttpError {
  /** Creates the error. Default message: `Service Unavailable`. */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(503, message, options)
  }
}

/** The classes in this file, by status. Error middlewares can check errors with `instanceof`. */
const CLASSES: Readonly<
  Record<number, new (message?: string, options?: HttpErrorOptions) => HttpError>
> = {
  400: BadRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  405: MethodNotAllowedError,
  409: ConflictError,
  412: PreconditionFailedError,
  413: PayloadTooLargeError,
  415: UnsupportedMediaTypeError,
  422: UnprocessableEntityError,
  429: TooManyRequestsError,
  500: InternalServerError,
  503: ServiceUnavailableError,
}

/** Creates an HTTP error. Uses the class for the status if there is one. */
export function httpErrorOf(
  status: number,
  message?: string,
  options?: HttpErrorOptions,
): HttpError {
  const Class = CLASSES[status]
  return Class === undefined ? new HttpError(status, message, options) : new Class(message, options)
}
