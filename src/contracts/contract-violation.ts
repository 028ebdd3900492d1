/**
 * The part of a response that differs from the OpenAPI document. `envelope`: an error without the error envelope.
 * `cache-key`: the cache key of the response lacks a value that the handler reads. `visibility`: the response has a
 * field that the caller is not allowed to see.
 */
export type ViolationKind =
  | 'status'
  | 'content-type'
  | 'header'
  | 'body'
  | 'envelope'
  | 'cache-key'
  | 'visibility'

/** One difference between a response and the OpenAPI document. */
export interface ContractViolation {
  /** The operation, as in the document: `GET /users/{id}`. */
  readonly operation: string
  /** The `operationId` in the document. */
  readonly operationId: string
  /** The handler: `UsersController.getById`. */
  readonly handler: string
  /** The status of the response. */
  readonly status: number
  /** The part of the response that differs from the document. */
  readonly kind: ViolationKind
  /**
   * The location: `data.items[0].id` in the body, a header name, or `query.sort` in the request. Empty if the
   * difference concerns the whole response.
   */
  readonly path: string
  /** The documented value; `null` if nothing is documented. */
  readonly expected: string | null
  /** The value in the response. */
  readonly got: string
  /** A sentence that explains how to fix the problem. */
  readonly remedy: string
}
