import type { Ajv2020 as Ajv } from 'ajv/dist/2020.js'
import type { OpenApiSchema, SchemaDefinition } from '../contracts/openapi.js'
import { replaceMultipleOf } from './ajv/own-keywords.js'
import { shareMetaSchema } from './ajv/share-meta-schema.js'
import { type Translation, toJson } from './openapi-to-json.js'
import { requireAjv } from './require-ajv.js'

/** Compiles a schema from a document to a predicate. Throws if the schema does not compile. */
export type CompileOpenApiSchema = (schema: OpenApiSchema) => (value: unknown) => boolean

/** The settings of the OpenAPI specification: an object can have properties that its schema does not describe. */
const AS_SPECIFIED: Translation = {
  refTo: (name) => `#/$defs/${name}`,
  isClosed: () => false,
}

/**
 * Creates a compiler for schemas that can refer to these definitions. The compiled function returns whether a value
 * matches according to OpenAPI 3.0.3. Ajv is loaded for the first schema. The load is synchronous, because documents
 * are built synchronously.
 */
export function createOpenApiCompiler(
  definitions: readonly SchemaDefinition[],
): CompileOpenApiSchema {
  let ajv: Ajv | undefined
  const translate = (schema: OpenApiSchema) => toJson(schema, AS_SPECIFIED)
  return function compileOpenApiSchema(schema) {
    ajv ??= loadAjv()
    const $defs = definitions.map(({ name, schema: body }) => [name, translate(body)])
    const validate = ajv.compile({ ...translate(schema), $defs: Object.fromEntries($defs) })
    return (value) => validate(value) === true
  }
}

/**
 * Creates an Ajv instance.
 *
 * @param options Ajv options, which override the defaults here.
 */
export function loadAjv(options: object = {}): Ajv {
  const [{ Ajv2020, _ }, addFormats] = requireAjv()
  const ajv = new Ajv2020({ strict: false, logger: false, ...options })
  shareMetaSchema(ajv, Ajv2020)
  addFormats(ajv)
  replaceMultipleOf(ajv, { _ })
  return ajv
}
