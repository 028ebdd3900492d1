import type { OpenApiSchema as AnySchema, SchemaLoss } from '../../contracts/openapi.js'
import type { OpenApiSchema } from '../../contracts/openapi-3-0.js'

/** A JSON Schema object, of any draft. */
export type Node = Readonly<Record<string, unknown>>

/** The shared functions that the parts of a conversion call. `S` is the type of the resulting schema. */
export interface Conversion<S = OpenApiSchema> {
  /** Converts a schema inside the current one. */
  readonly convert: (schema: unknown, path: string) => S
  /** Records a constraint that the document cannot express. */
  readonly lose: (path: string, cause: string) => void
  /** Returns a count that grows with every loss, and with every reference to a definition that has losses. */
  readonly countLosses: () => number
  /** Converts the target of a `$ref`. Returns an empty list if there is no `$ref`. */
  readonly follow: (node: Node, path: string) => S[]
  /** Whether the positions of a tuple are kept beside the union that replaces the tuple. */
  readonly keepsTuples?: boolean
}

/** The form of the schemas that a conversion produces. */
export interface Dialect<S> {
  /** Converts a schema. The given conversion converts its inner schemas. */
  readonly write: (node: Node, path: string, conversion: Conversion<S>) => S
  /** Returns a schema whose keywords exist in all dialects. */
  readonly of: (schema: OpenApiSchema) => S
}

/** An OpenAPI schema under construction. */
export type Draft = { -readonly [K in keyof OpenApiSchema]: OpenApiSchema[K] }

/** The type names that JSON Schema and OpenAPI share. OpenAPI has a flag instead of a type for `null`. */
export type TypeName = NonNullable<OpenApiSchema['type']>

/** An internal keyword for a constraint that a library could not express. Its value describes the constraint. */
export const LOSS_MARK = '~loss'

/** An internal keyword for a value that JSON cannot represent: `undefined`, a function or a symbol. */
export const ABSENT_MARK = '~absent'

/** An internal keyword for a schema that is the root for the references inside it, as if it had an `$id`. */
export const RESOURCE_MARK = '~resource'

/** An internal keyword for a definition whose key must not be used as a name. */
export const ANONYMOUS_MARK = '~anonymous'

/**
 * An internal keyword for a value that only code can create. The keyword's value is the type name, such as `Date`,
 * `bigint` or `File`.
 */
export const MADE_MARK = '~made'

/** An internal keyword for a schema that converts strings before validation, such as `z.coerce.number()`. */
export const COERCED_MARK = '~coerced'

/** A schema that accepts no value. */
export const NEVER: OpenApiSchema = { not: {} }

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isNever(schema: AnySchema): boolean {
  const { not } = schema
  return not !== undefined && Object.keys(not).length === 0 && Object.keys(schema).length === 1
}

/** Joins a path and a key: `items.0` and `price` become `items.0.price`. */
export function below(path: string, step: string): string {
  return path === '' ? step : `${path}.${step}`
}

/** The losses of a conversion, without duplicates. */
export class Losses {
  readonly #found = new Map<string, SchemaLoss>()
  #count = 0

  readonly add: Conversion['lose'] = (path, cause) => {
    this.#count++
    this.#found.set(`${path}\n${cause}`, { path, cause })
  }

  /** Counts one more loss without recording its cause again. */
  readonly repeat = (): void => {
    this.#count++
  }

  /** The number of losses, including duplicates. */
  readonly count = (): number => this.#count

  get all(): SchemaLoss[] {
    return [...this.#found.values()]
  }
}

/**
 * Converts a value to JSON data. Dates and bigints become strings. Returns `undefined` for a value that JSON cannot
 * represent.
 */
export function toJsonValue(value: unknown): unknown {
  if (value === undefined || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined
  try {
    const text = JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part))
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    // The value contains itself, or its `toJSON` throws.
    return undefined
  }
}
