import type { OpenApiDocument, OpenApiSchema } from '../../contracts/openapi.js'
import { breaking, compatible, type LocalChange } from './change.js'
import type { SchemaEquality } from './resolve-schema.js'

/** The two documents, and what is known of both. */
export interface Comparison {
  readonly base: OpenApiDocument
  readonly current: OpenApiDocument
  readonly equality: SchemaEquality
}

/** Who writes what a schema describes: clients write requests, the application responses. */
export type Side = 'request' | 'response'

/** Two schemas that stand in the same place. */
export interface SchemaPair {
  readonly base: OpenApiSchema
  readonly current: OpenApiSchema
  readonly side: Side
  readonly location: string
  /** Pairs of references that were compared already: each counts once, where it was met first. */
  readonly seen?: Set<string>
}

/** Fewer values fit: breaks those who write them. */
export function narrowed(pair: SchemaPair, rule: string, message: string): LocalChange {
  return (pair.side === 'request' ? breaking : compatible)(rule, pair.location, message)
}

/** More values fit: breaks those who read them. */
export function widened(pair: SchemaPair, rule: string, message: string): LocalChange {
  return (pair.side === 'response' ? breaking : compatible)(rule, pair.location, message)
}
