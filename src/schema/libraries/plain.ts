import type { SchemaSide } from '../../contracts/openapi.js'
import { isNode } from '../dialect/conversion.js'
import { mapSubschemas } from '../keywords.js'

/** Ajv fills in no defaults inside these keywords. */
const COMPOUND = new Set(['anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'contains'])

/**
 * Describes a JSON Schema as the validator of this package applies it. The validator fills in defaults before
 * it checks `required`, so a client may omit a required property that has a default.
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
