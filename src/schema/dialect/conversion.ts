import type { OpenApiSchema } from '../../contracts/openapi.js'

/** An object of JSON Schema, of any draft. */
export type Node = Readonly<Record<string, unknown>>

/** What the parts of the converter need of the whole. */
export interface Conversion {
  /** Converts a schema within the one that is being converted. */
  readonly convert: (schema: unknown, path: string) => OpenApiSchema
  /** Notes what the dialect cannot say. */
  readonly lose: (path: string, cause: string) => void
  /** Grows with every loss, and with every reference to a definition that has one. */
  readonly countLosses: () => number
}

/** A schema of the dialect that is still being written. */
export type Draft = { -readonly [K in keyof OpenApiSchema]: OpenApiSchema[K] }

/** Names of types in both dialects; `null` is a flag in OpenAPI's. */
export type TypeName = NonNullable<OpenApiSchema['type']>

/** A keyword of our own: what a library could not say of a part of its schema, as a sentence. */
export const LOSS_MARK = '~loss'

/** A keyword of our own, for a value that no JSON holds: `undefined`, functions, symbols. */
export const ABSENT_MARK = '~absent'

/** A keyword of our own, for a schema whose references start from itself, as if it had an `$id`. */
export const RESOURCE_MARK = '~resource'

/** A keyword of our own, for a definition whose key is no name. */
export const ANONYMOUS_MARK = '~anonymous'

/** Accepts nothing. */
export const NEVER: OpenApiSchema = { not: {} }

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isNever(schema: OpenApiSchema): boolean {
  const { not } = schema
  return not !== undefined && Object.keys(not).length === 0 && Object.keys(schema).length === 1
}

/** `items` + `0` + `price` is `items.0.price`. */
export function below(path: string, step: string): string {
  return path === '' ? step : `${path}.${step}`
}
