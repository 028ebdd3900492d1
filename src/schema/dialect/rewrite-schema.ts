import type { OpenApiDocument, OpenApiSchema } from '../../contracts/openapi.js'
import type * as Lowered from '../../contracts/openapi-3-0.js'
import { OLDER_QUERY } from '../path-item.js'
import { type Conversion, type Dialect, isNode, NEVER } from './conversion.js'
import { KEPT } from './keep-body.js'
import { LOWERED } from './to-openapi-schema.js'

const keep = createRewriter(KEPT)
const lower = createRewriter(LOWERED)

/**
 * Converts the schemas of a document to JSON Schema 2020-12. Schemas that already are JSON Schema 2020-12 do not
 * change.
 */
export function keepDocument(document: OpenApiDocument): OpenApiDocument {
  return mapDocument(document, keep)
}

const lowered = new WeakMap<OpenApiDocument, Lowered.OpenApiDocument>()

/**
 * Converts the schemas of a document to the keywords of OpenAPI 3.0, for code that reads documents of all versions.
 * Constraints that 3.0 cannot express become less exact. Tuple positions are kept in `prefixItems`.
 */
export function lowerDocument(document: OpenApiDocument): Lowered.OpenApiDocument {
  const known = lowered.get(document)
  if (known !== undefined) return known
  const written = isOfVersion30(document) ? document : mapDocument(document, lower)
  lowered.set(document, written)
  return written
}

const schemas = new WeakMap<OpenApiSchema, Lowered.OpenApiSchema>()

/** Converts a schema of a document to the keywords of OpenAPI 3.0. References and 3.0 schemas do not change. */
export function lowerSchema(
  schema: OpenApiSchema,
  document: OpenApiDocument,
): Lowered.OpenApiSchema {
  if (isOfVersion30(document)) return schema as Lowered.OpenApiSchema
  const known = schemas.get(schema) ?? lower(schema)
  schemas.set(schema, known)
  return known
}

/** Whether a document is OpenAPI 3.0, so that its schemas contain only 3.0 keywords. */
function isOfVersion30(document: OpenApiDocument): document is Lowered.OpenApiDocument {
  return document.openapi.startsWith('3.0')
}

/** Creates a function that converts schemas one by one. References are kept, and losses are not reported again. */
function createRewriter<S>(dialect: Dialect<S>): (schema: unknown) => S {
  let losses = 0
  const convert = (schema: unknown, path = ''): S => {
    if (isNode(schema)) return dialect.write(schema, path, conversion)
    return dialect.of(schema === false ? NEVER : {})
  }
  const conversion: Conversion<S> = {
    convert,
    lose: () => void losses++,
    countLosses: () => losses,
    follow: ({ $ref }) => (typeof $ref === 'string' ? [dialect.of({ $ref })] : []),
    keepsTuples: true,
  }
  return (schema) => convert(schema)
}

/** The fields that contain objects by name. A name can be any string, such as `schema`. */
const BY_NAME = new Set(
  'paths responses headers content encoding schemas parameters requestBodies securitySchemes links callbacks'.split(
    ' ',
  ),
)

/** The fields that contain one schema. `x-item-schema` is the framework's own field for the items of a stream. */
const SCHEMAS = new Set(['schema', 'itemSchema', 'x-item-schema'])

/** The fields that contain values without schemas. */
const VALUES = new Set(['example', 'examples'])

/**
 * Copies a document and replaces each schema with the result of `change`.
 *
 * @param change Returns the new schema. It must also replace the schemas inside that schema.
 */
function mapDocument<A, B>(
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
  // The copy has the structure of the document, except for the schemas.
  return map(document, false) as OpenApiDocument<B>
}

function mapValues<A, B>(schemas: Readonly<Record<string, A>>, change: (schema: A) => B): object {
  return Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, change(each)]))
}
