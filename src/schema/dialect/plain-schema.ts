import { isNode } from './conversion.js'

/** Keywords that say the same wherever they stand: about one type of values, or about nothing but the schema itself. */
const PLAIN = new Set(
  `$schema type nullable enum const format minLength maxLength pattern contentEncoding contentMediaType
  minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems
  required minProperties maxProperties description default example examples deprecated readOnly writeOnly`.split(
    /\s+/,
  ),
)

/**
 * Whether a schema is made of types, their bounds and annotations only, as most are. Nothing in it refers, is named, or has to
 * be combined, so nothing of that kind need be looked for in each of its parts.
 */
export function isPlain(schema: unknown): boolean {
  if (!isNode(schema)) return typeof schema === 'boolean'
  for (const keyword in schema) {
    const value = schema[keyword]
    if (keyword === 'properties') {
      if (!isNode(value)) return false
      for (const name in value) if (!isPlain(value[name])) return false
    } else if (keyword === 'items' || keyword === 'additionalProperties') {
      if (!isPlain(value)) return false
    } else if (!PLAIN.has(keyword)) return false
  }
  return true
}
