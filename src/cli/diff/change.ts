import type { SchemaPair } from './resolve-schema.js'

/** One change between two documents. */
export interface Change {
  /** The kind of the change, such as `operation-removed`. These names are stable. */
  readonly rule: string
  /** Whether the change could break a client that uses the older document. */
  readonly isBreaking: boolean
  /** The operation, such as `GET /users/{id}`, or `document`. */
  readonly operation: string
  /** The place in the operation, such as `response 200 › data.name`; empty for the operation itself. */
  readonly location: string
  /** The change as a sentence. */
  readonly message: string
}

/** A change whose operation is not set yet. */
export type LocalChange = Omit<Change, 'operation'>

/** Creates a change that breaks clients. */
export function breaking(rule: string, location: string, message: string): LocalChange {
  return { rule, isBreaking: true, location, message }
}

/** Creates a change that does not break clients. */
export function compatible(rule: string, location: string, message: string): LocalChange {
  return { rule, isBreaking: false, location, message }
}

/**
 * Creates a change after which fewer values are valid. It breaks the side that sends the values: in a request, the
 * clients.
 */
export function narrowed(pair: SchemaPair, rule: string, message: string): LocalChange {
  return (pair.side === 'request' ? breaking : compatible)(rule, pair.location, message)
}

/**
 * Creates a change after which more values are valid. It breaks the side that receives the values: in a response, the
 * clients.
 */
export function widened(pair: SchemaPair, rule: string, message: string): LocalChange {
  return (pair.side === 'response' ? breaking : compatible)(rule, pair.location, message)
}

/** Appends a step to a location: `data` and `name` become `data.name`. */
export function within(location: string, step: string): string {
  if (location === '' || location.endsWith('› ')) return `${location}${step}`
  return `${location}.${step}`
}

/** Formats a value for messages. */
export function show(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}
