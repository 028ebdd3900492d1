import type { OpenApiSchema } from '../../contracts/openapi.js'

/** A JSON Schema object, of any draft. */
export type Node = Readonly<Record<string, unknown>>

/** The functions of the whole conversion that its parts call. */
export interface Conversion {
  /** Converts a schema inside the current one. */
  readonly convert: (schema: unknown, path: string) => OpenApiSchema
  /** Records a constraint that OpenAPI 3.0 cannot express. */
  readonly lose: (path: string, cause: string) => void
  /** Returns a count that grows with every loss, and with every reference to a definition that has losses. */
  readonly countLosses: () => number
}

/** An OpenAPI schema under construction. */
export type Draft = { -readonly [K in keyof OpenApiSchema]: OpenApiSchema[K] }

/** The type names that JSON Schema and OpenAPI share. OpenAPI has a flag for `null` instead of a type. */
export type TypeName = NonNullable<OpenApiSchema['type']>

/** An internal keyword. Its value is a sentence about a constraint that a library could not express. */
export const LOSS_MARK = '~loss'

/** An internal keyword for a value that JSON cannot hold: `undefined`, a function, a symbol. */
export const ABSENT_MARK = '~absent'

/** An internal keyword for a schema that is the root of its own references, as if it had an `$id`. */
export const RESOURCE_MARK = '~resource'

/** An internal keyword for a definition whose key must not become a name. */
export const ANONYMOUS_MARK = '~anonymous'

/** A schema that accepts nothing. */
export const NEVER: OpenApiSchema = { not: {} }

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isNever(schema: OpenApiSchema): boolean {
  const { not } = schema
  return not !== undefined && Object.keys(not).length === 0 && Object.keys(schema).length === 1
}

/** Joins a path and a key: `items.0` and `price` give `items.0.price`. */
export function below(path: string, step: string): string {
  return path === '' ? step : `${path}.${step}`
}
