import type { OpenApiSecurityScheme } from './openapi.js'
import type { ApiResponseOptions } from './operation.js'
import type { RouteModel } from './route-model.js'
import type { Schema } from './schema.js'

/** A parameter that a step of a feature or plugin reads. */
export interface ContractParameter {
  /** The name of the parameter, case-sensitive except for a header. */
  readonly name: string
  /** The part of the request that contains the parameter. */
  readonly in: 'path' | 'query' | 'header'
  /** A description of the parameter; CommonMark. */
  readonly description?: string
  /** Whether a request must have the parameter. Default `false`. */
  readonly required?: boolean
  /** A Standard Schema or a JSON Schema of the value. */
  readonly schema: Schema
}

/** A header that a step adds to responses. */
export interface ContractHeader {
  /** A description of the header; CommonMark. */
  readonly description?: string
  /** A Standard Schema or a JSON Schema of the value. */
  readonly schema: Schema
}

/**
 * The additions of steps to the operation of a route. The route's author has precedence: if the author describes a
 * response with the same status, or a parameter with the same name, the author's description is used.
 *
 * @example
 * const contract: RouteContract = {
 *   errors: [451],
 *   headers: { 'X-Audit-Id': { schema: z.uuid() } },
 * }
 */
export interface RouteContract {
  /** The statuses with which a step refuses requests, in the error format of the application. */
  readonly errors?: readonly number[]
  /** Responses with their own schemas. */
  readonly responses?: readonly ApiResponseOptions[]
  /** Headers of the successful responses, by name. */
  readonly headers?: Readonly<Record<string, ContractHeader>>
  /** Additional parameters of the operation. */
  readonly parameters?: readonly ContractParameter[]
  /** Additional tags of the operation. */
  readonly tags?: readonly string[]
  /** Whether clients should stop using the operation. Default `false`. */
  readonly deprecated?: boolean
  /** Additional security schemes that a request must satisfy, by name. */
  readonly security?: Readonly<Record<string, OpenApiSecurityScheme>>
}

/**
 * Returns the additions of a feature or plugin to the operation of a route; `null` if the route does not use the
 * feature. The framework calls this function once for each route of a document.
 */
export type ContractOf = (route: RouteModel) => RouteContract | null | undefined
