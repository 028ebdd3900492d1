import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'
import type { DescribedSchema, OpenApiSchema } from '../../src/contracts/openapi.js'

type Json = Record<string, unknown>

const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void

// The compiled schemas have no `$id`, so one instance is enough.
const ajv = new Ajv2020({ strict: false })
addFormats(ajv)

/** A validator for a described schema, with the rules of OpenAPI 3.0.3. */
export function documentValidator(described: DescribedSchema): (value: unknown) => boolean {
  const $defs = Object.fromEntries(
    described.definitions.map(({ name, schema }) => [name, toJsonSchema(schema)]),
  )
  const validate = ajv.compile({ ...toJsonSchema(described.schema), $defs })
  return (value) => validate(value) === true
}

/**
 * A validator for a schema of OpenAPI 3.1 or later, which is JSON Schema 2020-12 as it stands. Also refuses a schema that
 * 2020-12 does not allow.
 */
export function laterDocumentValidator(described: DescribedSchema): (value: unknown) => boolean {
  const $defs = Object.fromEntries(described.definitions.map(({ name, schema }) => [name, schema]))
  const text = JSON.stringify({ ...described.schema, $defs })
  const schema = JSON.parse(text.replaceAll('"#/components/schemas/', '"#/$defs/'))
  const validate = ajv.compile(schema)
  return (value) => validate(value) === true
}

/** Converts an OpenAPI 3.0 schema to JSON Schema 2020-12. It supports only the keywords of OpenAPI. */
function toJsonSchema(schema: OpenApiSchema): Json {
  // "This object cannot be extended with additional properties and any properties added SHALL be ignored."
  if (schema.$ref !== undefined) {
    return { $ref: schema.$ref.replace('#/components/schemas/', '#/$defs/') }
  }
  const json: Json = {}
  for (const [key, value] of Object.entries(schema)) Object.assign(json, translate(key, value))
  if (schema.nullable === true && schema.type !== undefined) json.type = [schema.type, 'null']
  if (schema.exclusiveMinimum === true) {
    json.exclusiveMinimum = schema.minimum
    delete json.minimum
  }
  if (schema.exclusiveMaximum === true) {
    json.exclusiveMaximum = schema.maximum
    delete json.maximum
  }
  return json
}

const AS_IS = new Set(
  `type format enum multipleOf minimum maximum minLength maxLength pattern minItems maxItems uniqueItems required
  minProperties maxProperties`.split(/\s+/),
)
const SCHEMAS = new Set(['items', 'not'])
const LISTS = new Set(['allOf', 'anyOf', 'oneOf'])
const NOTES = new Set(
  `title description default example deprecated readOnly writeOnly externalDocs discriminator nullable
  exclusiveMinimum exclusiveMaximum`.split(/\s+/),
)

function translate(key: string, value: unknown): Json {
  if (AS_IS.has(key)) return { [key]: value }
  if (SCHEMAS.has(key)) return { [key]: toJsonSchema(value as OpenApiSchema) }
  if (LISTS.has(key)) return { [key]: (value as OpenApiSchema[]).map(toJsonSchema) }
  if (key === 'properties') {
    const entries = Object.entries(value as Record<string, OpenApiSchema>)
    return { properties: Object.fromEntries(entries.map(([k, s]) => [k, toJsonSchema(s)])) }
  }
  if (key === 'additionalProperties') {
    return { [key]: typeof value === 'boolean' ? value : toJsonSchema(value as OpenApiSchema) }
  }
  if (NOTES.has(key) || key.startsWith('x-')) return {}
  throw new Error(`${key} is not a keyword of OpenAPI 3.0.3`)
}
