import type { Request } from './handler.js'
import type { OpenApiSchema } from './openapi-schema.js'
import type { FieldError, Schema } from './schema.js'

/** The error of a request, as frozen data that the client is allowed to see. The original error is in the log. */
export interface Failure {
  /** The status of the response, 400 to 599. */
  readonly status: number
  /** A machine-readable code; see `docs/errors.md`. */
  readonly code: string
  /** A sentence for human readers. It is never the message of an unexpected error. */
  readonly message: string
  /** The rejected fields, at most 20. Absent if no field was rejected. */
  readonly errors?: readonly FieldError[]
  /**
   * The value of `req.id`: always present from status 500 on; below 500 only with `requestIds`, or if the ID has been
   * read or set.
   */
  readonly requestId?: string
}

/** A custom body for the error responses of an application or a route. */
export interface ErrorFormat {
  /**
   * Returns the body of the response, as JSON data. If the function throws, or returns something else (a promise,
   * `undefined`), the client receives the error in the framework's own format, and the reason is logged.
   *
   * @param failure Frozen data about the error.
   * @param req `undefined` if Node's parser could not read the request.
   */
  readonly format: (failure: Failure, req?: Request) => unknown
  /** The schema of the body for the OpenAPI document: a Standard Schema or a JSON Schema. */
  readonly schema: Schema
  /** The media type of the body: `application/json`, or a type with the suffix `+json`. Default `application/json`. */
  readonly mediaType?: string
}

/** Facts about a success response, besides its data. */
export interface SuccessFacts {
  /** The status of the response, 200 to 399. */
  readonly status: number
  /** The message of `this.ok`; for a returned value, the reason phrase of the status. */
  readonly message: string
  /** The request. */
  readonly req: Request
}

/**
 * Your own envelope around the data of success responses: the option `envelope`, or the argument of `@Envelope`.
 *
 * @example
 * const paged: EnvelopeFormat = {
 *   success: (data, { status }) => ({ ok: true, status, result: data }),
 *   schema: (data) => ({
 *     type: 'object',
 *     properties: { ok: { type: 'boolean' }, status: { type: 'integer' }, result: data },
 *     required: ['ok', 'status'],
 *   }),
 * }
 */
export interface EnvelopeFormat {
  /**
   * Returns the whole body, as JSON data. If the function throws or returns something else, the client receives a 500
   * response, and the reason is logged.
   *
   * @param data The value that the handler returned, or the data of `this.ok`; `undefined` if there is none.
   */
  readonly success: (data: unknown, facts: SuccessFacts) => unknown
  /**
   * Returns the schema of the whole body, in the OpenAPI 3.0.3 dialect.
   *
   * @param data The schema of the data, often a reference to a component; `{}` if the data is not documented.
   */
  readonly schema: (data: OpenApiSchema) => OpenApiSchema
  /** The media type of the body: `application/json`, or a type with the suffix `+json`. Default `application/json`. */
  readonly mediaType?: string
  /** The error format of routes with this envelope. Default: the format of the option `errors`. */
  readonly error?: ErrorFormat
}

/** The envelope of a route: `true` for the framework's own, `false` for bare data, or your own envelope. */
export type EnvelopeChoice = boolean | EnvelopeFormat

/**
 * The format of errors: `negotiated` is the framework's envelope, or problem details (RFC 9457) for clients that accept
 * them; `problem` is always problem details.
 */
export type ErrorWire = 'negotiated' | 'problem' | ErrorFormat
