import type { SchemaSide } from '../../contracts/openapi.js'
import type { Schema } from '../../contracts/schema.js'
import type { KeyedSchema, ListSchema } from '../composed-schemas.js'
import { isNode, RESOURCE_MARK } from '../dialect/conversion.js'
import { mapSubschemas } from '../keywords.js'
import { acceptsUndefined } from '../validate-now.js'

/**
 * Describes an input key by key. A key without a schema is omitted, because it accepts every value.
 *
 * @param describe Describes the schema of one key.
 */
export function describeKeyed(
  { entries }: KeyedSchema,
  describe: (schema: Schema) => unknown,
): Readonly<Record<string, unknown>> {
  const described = Object.entries(entries).filter((entry) => entry[1] !== null) as [
    string,
    Schema,
  ][]
  const properties = described.map(([key, schema]) => [key, asResource(describe(schema))] as const)
  const required = described.filter(([, schema]) => !acceptsUndefined(schema)).map(([key]) => key)
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  }
}

/** Describes a list by its items. */
export function describeList(
  { item, max }: ListSchema,
  describe: (schema: Schema) => unknown,
): Readonly<Record<string, unknown>> {
  return { type: 'array', items: asResource(describe(item)), maxItems: max }
}

/** Makes the references in the schema of a key or an item relative to that schema instead of the surrounding schema. */
function asResource(json: unknown): unknown {
  if (json instanceof Promise) throw new Error('its description is a promise')
  return isNode(json) ? { ...json, [RESOURCE_MARK]: true } : json
}

/** The keywords inside which Ajv does not fill in defaults. */
const COMPOUND = new Set(['anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'contains'])

/**
 * Describes a JSON Schema as the framework's validator applies it. The validator fills in defaults before it checks
 * `required`, so a client can omit a required property that has a default.
 */
export function describePlain(schema: object, side: SchemaSide): unknown {
  return side === 'input' ? withOptionalDefaults(schema) : schema
}

function withOptionalDefaults(schema: unknown): unknown {
  if (!isNode(schema)) return schema
  const copy = mapSubschemas(schema, (child, { keyword }) =>
    COMPOUND.has(keyword) ? child : withOptionalDefaults(child),
  )
  const { properties, required } = schema
  if (!isNode(properties) || !Array.isArray(required)) return copy
  const isFilled = (name: unknown): boolean => {
    const property = Object.hasOwn(properties, String(name)) && properties[String(name)]
    return isNode(property) && property.default !== undefined
  }
  return { ...copy, required: required.filter((name) => !isFilled(name)) }
}
