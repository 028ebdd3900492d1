import type { OpenApiDocument } from '../contracts/openapi.js'
import { OLDER_QUERY } from './path-item.js'

/** The fields that hold objects by name. A name may be any text, such as `schema`. */
const BY_NAME = new Set(
  'paths responses headers content encoding schemas parameters requestBodies securitySchemes links callbacks'.split(
    ' ',
  ),
)

/** The fields that hold one schema. `x-item-schema` is our own, for the items of a stream. */
const SCHEMAS = new Set(['schema', 'itemSchema', 'x-item-schema'])

/** The fields that hold values, in which nothing is a schema. */
const VALUES = new Set(['example', 'examples'])

/**
 * Copies a document and replaces each schema by the result of `change`.
 *
 * @param change Also replaces the schemas inside a schema.
 */
export function mapDocument<A, B>(
  document: OpenApiDocument<A>,
  change: (schema: A) => B,
): OpenApiDocument<B> {
  const map = (value: unknown, areNames: boolean): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((each) => map(each, false))
    const entries = Object.entries(value).map(([key, child]) => {
      if (areNames) return [key, map(child, false)]
      if (SCHEMAS.has(key)) return [key, change(child)]
      if (key === OLDER_QUERY) return [key, map(child, true)]
      if (key === 'schemas') return [key, mapValues(child, change)]
      return [key, VALUES.has(key) || key.startsWith('x-') ? child : map(child, BY_NAME.has(key))]
    })
    return Object.fromEntries(entries)
  }
  // The walk keeps the form of the document, except for the schemas.
  return map(document, false) as OpenApiDocument<B>
}

function mapValues<A, B>(schemas: Readonly<Record<string, A>>, change: (schema: A) => B): object {
  return Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, change(each)]))
}
