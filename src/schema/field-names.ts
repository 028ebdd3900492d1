import type { SchemaConverters } from '../contracts/openapi.js'
import type { Schema } from '../contracts/schema.js'
import { isNode, LOSS_MARK } from './dialect/conversion.js'
import { jsonOnce } from './json-once.js'
import { objectFields } from './object-fields.js'

/**
 * Lists the names of all fields in a schema.
 *
 * @returns `null` if the schema does not show its fields: its library cannot describe it.
 */
export function fieldNames(
  schema: Schema,
  converters: SchemaConverters | undefined,
): ReadonlySet<string> | null {
  const fields = objectFields(schema)
  const json = describe(schema, converters)
  if (fields === null && (!isNode(json) || LOSS_MARK in json)) return null
  const names = new Set<string>(fields?.keys())
  collect(json, names, new Set())
  return names
}

function describe(schema: Schema, converters: SchemaConverters | undefined): unknown {
  try {
    return jsonOnce(schema, { side: 'input', converters })
  } catch {
    return undefined
  }
}

function collect(value: unknown, names: Set<string>, seen: Set<object>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  const { properties, required } = value as { properties?: unknown; required?: unknown }
  if (typeof properties === 'object' && properties !== null) {
    for (const name of Object.keys(properties)) names.add(name)
  }
  if (Array.isArray(required)) for (const name of required) names.add(String(name))
  for (const child of Object.values(value)) collect(child, names, seen)
}
