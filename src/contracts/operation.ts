import type { Schema } from './schema.js'

/** Options of `@ApiOperation`. */
export interface ApiOperationOptions {
  /** Default: the method's name in Title Case. */
  readonly summary?: string
  /** CommonMark. Default: the summary. */
  readonly description?: string
  /** Whether clients should stop using the operation. Default `false`. */
  readonly deprecated?: boolean
  /** Letters, digits, `_` and `-`; unique. Default: `<Controller>_<method>`. */
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
 * How to treat fields of a JSON response that its documented schema does not name. `'send'`: they are sent. `'strip'`:
 * they are dropped. `'check'`: the response is replaced by a 500, also if the response does not match its schema in
 * another way.
 */
export type ResponseFieldsMode = 'send' | 'strip' | 'check'

/** Options of `@ApiResponseDoc`. */
export interface ApiResponseOptions {
  /** 100 to 599. */
  readonly status: number
  /** A description of the response; CommonMark. Default: the reason phrase of the status. */
  readonly description?: string
  /**
   * Describes the `data` of the envelope; the whole body if there is no envelope. A schema that is an envelope itself is
   * used unchanged.
   */
  readonly schema?: Schema
  /**
   * Whether `schema` describes the whole body, without the envelope; a returned value is then sent without it, too.
   * Without a schema the body is any JSON. Default `false`.
   */
  readonly raw?: boolean
  /**
   * The media type of the body. With a media type that is not JSON, the handler returns a string or bytes, which are
   * sent unchanged. Default: the media type of the envelope, else `application/json`.
   */
  readonly contentType?: string
  /**
   * The media type of a file: a `fileResponse`, bytes or a `Blob`, of which clients may request parts. It means
   * `contentType`, and the document describes binary content, and with the status 200 of a `GET` also the responses to
   * conditions and ranges: 206, 304, 404, 412, 416. Not beside `schema`, `raw` and `contentType`. Default: no file.
   */
  readonly content?: string
}

/** The facts of the decorators that only the document uses. */
export interface OperationFacts {
  /** The tags of `@ApiTags`; without them, the name of the controller without `Controller`. */
  readonly tags: readonly string[]
  /** Whether `@ApiHidden` keeps the operation out of every document. */
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
