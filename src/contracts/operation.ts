import type { Schema } from './schema.js'

/** Options of `@ApiOperation`. */
export interface ApiOperationOptions {
  /** The summary. Default: the method's name in Title Case. */
  readonly summary?: string
  /** The description; CommonMark. Default: the summary. */
  readonly description?: string
  /** Whether clients should stop using the operation. Default `false`. */
  readonly deprecated?: boolean
  /**
   * The ID of the operation: letters, digits, `_` and `-`; unique in the document. Default: `<Controller>_<method>`.
   */
  readonly operationId?: string
}

/** Options of `@ApiBody`. */
export interface ApiBodyOptions {
  /** A Standard Schema or a JSON Schema. With a binary property, the body is `multipart/form-data`. */
  readonly schema: Schema
  /** A description of the body; CommonMark. Default: none. */
  readonly description?: string
  /**
   * Whether a request must have the body. Default: whether the schema of `@Body` rejects a missing body; `true`
   * without a schema.
   */
  readonly required?: boolean
}

/**
 * How to handle JSON response fields that are not in the documented schema. `'send'`: they are sent. `'strip'`: they
 * are removed. `'check'`: a response with such fields, or a response that does not match its schema otherwise, is
 * replaced by a 500 response.
 */
export type ResponseFieldsMode = 'send' | 'strip' | 'check'

/** Options of `@ApiResponseDoc`. */
export interface ApiResponseOptions {
  /** The status: 100 to 599. */
  readonly status: number
  /** A description of the response; CommonMark. Default: the reason phrase of the status. */
  readonly description?: string
  /**
   * The schema of the envelope's `data`, or of the whole body if there is no envelope. A schema that is itself an
   * envelope is used unchanged.
   */
  readonly schema?: Schema
  /**
   * Whether `schema` describes the whole body, without the envelope; a returned value is then also sent without the
   * envelope. Without a schema, the body is any JSON. Default `false`.
   */
  readonly raw?: boolean
  /**
   * The media type of the body. If it is not a JSON type, the handler returns a string or bytes, which are sent
   * unchanged. Default: the media type of the envelope, otherwise `application/json`.
   */
  readonly contentType?: string
  /**
   * The media type of a file that clients can also request in parts: a `fileResponse`, bytes or a `Blob`. The option
   * also sets `contentType`, and the OpenAPI document describes binary content. For the 200 response of a `GET`, the
   * document also describes the responses to conditional and range requests: 206, 304, 404, 412, 416. It cannot be
   * combined with `schema`, `raw` or `contentType`. Default: no file.
   */
  readonly content?: string
}

/** The data of decorators that only the OpenAPI document uses. */
export interface OperationFacts {
  /** The tags of `@ApiTags`; without them, the name of the controller without `Controller`. */
  readonly tags: readonly string[]
  /** Whether `@ApiHidden` excludes the operation from every OpenAPI document. */
  readonly isHidden: boolean
  /** The options of `@ApiOperation`; empty without the decorator. */
  readonly operation: ApiOperationOptions
  /** The options of `@ApiBody`; `null` without the decorator. */
  readonly body: ApiBodyOptions | null
  /**
   * The options of each `@ApiResponseDoc` of the method, then of its class, then of the option `responses.documented`.
   * Each status is listed once.
   */
  readonly responses: readonly ApiResponseOptions[]
}
