import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Ajv2020 as Ajv } from 'ajv/dist/2020.js'
import type { OpenApiSchema, SchemaDefinition } from '../contracts/openapi.js'
import { type Translation, toJson } from './openapi-to-json.js'

/** Makes a schema of a document callable. Throws where a schema does not compile. */
export type CompileOpenApiSchema = (schema: OpenApiSchema) => (value: unknown) => boolean

/** As the specification reads schemas: objects may have more than what is described. */
const AS_SPECIFIED: Translation = {
  refTo: (name) => `#/$defs/${name}`,
  isClosed: () => false,
}

/**
 * A compiler of schemas that refer to these definitions: whether a value is what they say, as OpenAPI 3.0.3 reads them.
 * Loads Ajv with the first schema, synchronously, because documents are built so.
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

/** @param options Of Ajv, over ours. */
export function loadAjv(options: object = {}): Ajv {
  // An application that is bundled into a CommonJS file has no URL here.
  const require = createRequire(import.meta.url ?? join(process.cwd(), 'package.json'))
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')
  const addFormats = require('ajv-formats') as (ajv: Ajv) => void
  const ajv = new Ajv2020({ strict: false, logger: false, ...options })
  addFormats(ajv)
  return ajv
}
