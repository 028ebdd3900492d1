import type { Schema } from './schema.js'

/** Options of `@ApiOperation` (specification section 4.4). */
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

/** Options of `@ApiBody` (specification section 4.4). */
export interface ApiBodyOptions {
  /** A Standard Schema or a JSON Schema; with a binary property the body is `multipart/form-data`. */
  readonly schema: Schema
  /** What the body means; CommonMark. Default: none. */
  readonly description?: string
  /** Default `true`. */
  readonly required?: boolean
}

/** Options of `@ApiResponseDoc` (specification section 4.4). */
export interface ApiResponseOptions {
  /** 100 to 599. */
  readonly status: number
  /** What the response means; CommonMark. */
  readonly description: string
  /** Describes `data`, which the document shows in the envelope; one that is an envelope already stands as given. */
  readonly schema?: Schema
  /** Whether `schema` is the whole body, without envelope: a returned value is then sent so. Without a schema it is any JSON. Default `false`. */
  readonly raw?: boolean
  /**
   * The media type of the body. One that is not JSON takes a string or bytes as the returned value, which are sent as they are. Default
   * `application/json`.
   */
  readonly contentType?: string
}

/** What the decorators say of an operation for its document. */
export interface OperationFacts {
  /** Of `@ApiTags`; else the controller's name without `Controller`. */
  readonly tags: readonly string[]
  /** Whether `@ApiHidden` keeps the operation out of every document. */
  readonly isHidden: boolean
  /** What `@ApiOperation` says; empty without. */
  readonly operation: ApiOperationOptions
  /** What `@ApiBody` says; `null` without. */
  readonly body: ApiBodyOptions | null
  /** What each `@ApiResponseDoc` says, in source order. */
  readonly responses: readonly ApiResponseOptions[]
}
