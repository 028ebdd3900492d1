import type { SchemaConverters } from '../contracts/openapi.js'
import type { Schema } from '../contracts/schema.js'
import { isNode, LOSS_MARK } from './dialect/conversion.js'
import { namesIn } from './fields/show-path.js'
import { jsonIfDescribed } from './json-once.js'
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
  const json = jsonIfDescribed(schema, { side: 'input', converters })
  if (fields === null && (!isNode(json) || LOSS_MARK in json)) return null
  return new Set([...(fields?.keys() ?? []), ...namesIn(json)])
}
