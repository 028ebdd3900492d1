import type { JsonSchema } from '../contracts/schema.js'
import { isNode, type Node } from './dialect/conversion.js'
import { mapSubschemas } from './dialect/keywords.js'

/** The same schema gives the same copy, because Ajv refuses two schemas with one `$id`. */
const known = new WeakMap<object, JsonSchema>()

/**
 * Adds the type of numeric and boolean constants, `{ enum: [1, 2] }`: Ajv converts a text only to the `type` that its schema
 * names. A schema that needs no change is returned itself.
 */
export function withTypesOfConstants(schema: JsonSchema): JsonSchema {
  const copy = known.get(schema) ?? (typed(schema) as JsonSchema)
  known.set(schema, copy)
  return copy
}

function typed(schema: unknown): unknown {
  if (!isNode(schema)) return schema
  let isChanged = false
  const copy = mapSubschemas(schema, (child) => {
    const mapped = typed(child)
    isChanged ||= mapped !== child
    return mapped
  })
  const type = schema.type === undefined ? typeOfConstants(schema) : undefined
  if (type !== undefined) return { ...copy, type }
  return isChanged ? copy : schema
}

/** The types of the constants; `undefined` if there are none, or a text is among them. */
function typeOfConstants({ const: only, enum: values }: Node): readonly string[] | undefined {
  const constants = only === undefined ? values : [only]
  if (!Array.isArray(constants) || constants.length === 0) return undefined
  const types = new Set(constants.map((value) => (value === null ? 'null' : typeof value)))
  const isPlain = [...types].every((type) => ['number', 'boolean', 'null'].includes(type))
  return isPlain ? [...types] : undefined
}
