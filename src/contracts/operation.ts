import type { Schema } from './schema.js'

/** Options of `@ApiOperation` (specification section 4.4). */
export interface ApiOperationOptions {
  /** Default: the method's name in Title Case. */
  readonly summary?: string
  /** CommonMark. Default: the summary. */
  readonly description?: string
  readonly deprecated?: boolean
  /** Letters, digits, `_` and `-`; unique. Default: `<Controller>_<method>`. */
  readonly operationId?: string
}

/** Options of `@ApiBody` (specification section 4.4). */
export interface ApiBodyOptions {
  /** A Standard Schema or a JSON Schema; with a binary property the body is `multipart/form-data`. */
  readonly schema: Schema
  readonly description?: string
  /** Default `true`. */
  readonly required?: boolean
}

/** Options of `@ApiResponseDoc` (specification section 4.4). */
export interface ApiResponseOptions {
  /** 100 to 599. */
  readonly status: number
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
  readonly isHidden: boolean
  readonly operation: ApiOperationOptions
  readonly body: ApiBodyOptions | null
  readonly responses: readonly ApiResponseOptions[]
}
