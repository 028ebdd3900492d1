import type { OpenApiDocument, OpenApiSchema } from '../../contracts/openapi-3-0.js'
import { breaking, compatible, type LocalChange } from './change.js'
import type { SchemaEquality } from './resolve-schema.js'

/** The two documents, and the results of earlier comparisons. */
export interface Comparison {
  readonly base: OpenApiDocument
  readonly current: OpenApiDocument
  readonly equality: SchemaEquality
}

/** The same item in both documents. */
export interface Pair<T> {
  readonly base: T
  readonly current: T
}

/** The side of a schema: clients write requests, the application writes responses. */
export type Side = 'request' | 'response'

/** Two schemas from the same place in both documents. */
export interface SchemaPair {
  readonly base: OpenApiSchema
  readonly current: OpenApiSchema
  readonly side: Side
  readonly location: string
  /** Pairs with a reference that were already compared. Each pair is reported once, at its first place. */
  readonly seen?: SeenPairs
}

/** By the reference or the schema of the base: the references and the schemas that it was compared with. */
export type SeenPairs = Map<string | OpenApiSchema, Set<string | OpenApiSchema>>

/**
 * A change after which fewer values are valid. It breaks the side that writes them: clients, in a request.
 */
export function narrowed(pair: SchemaPair, rule: string, message: string): LocalChange {
  return (pair.side === 'request' ? breaking : compatible)(rule, pair.location, message)
}

/** A change after which more values are valid. It breaks the side that reads them: clients, in a response. */
export function widened(pair: SchemaPair, rule: string, message: string): LocalChange {
  return (pair.side === 'response' ? breaking : compatible)(rule, pair.location, message)
}
