import type { OpenApiSchema } from '../../contracts/openapi-3-0.js'
import { annotationsOf } from './annotations.js'
import { combinations } from './combination.js'
import { combine } from './combine.js'
import type { Conversion, Dialect, Node } from './conversion.js'
import { typedSchema } from './typed-schema.js'

/** The dialect of OpenAPI 3.0.3: parts that it cannot express become less exact. */
export const LOWERED: Dialect<OpenApiSchema> = {
  write(node, path, conversion) {
    const own = withoutUnevaluated(node, path, conversion)
    const parts = conversion.follow(node, path)
    parts.push(typedSchema(own, path, conversion), ...combinations(own, path, conversion))
    return combine(annotationsOf(node), parts)
  },
  of: (schema) => schema,
}

const APPLICATORS = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'contains']

/**
 * Drops `unevaluatedItems` and `unevaluatedProperties` if other keywords may evaluate items or properties.
 * Otherwise they stay, because then they mean the same as `items` and `additionalProperties`.
 */
function withoutUnevaluated(node: Node, path: string, { lose }: Conversion): Node {
  if (node.unevaluatedItems === undefined && node.unevaluatedProperties === undefined) return node
  if (!APPLICATORS.some((keyword) => node[keyword] !== undefined)) return node
  const { unevaluatedItems, unevaluatedProperties: _, ...others } = node
  const keyword = unevaluatedItems === undefined ? 'unevaluatedProperties' : 'unevaluatedItems'
  lose(path, `'${keyword}' is not in the document: OpenAPI 3.0 cannot express it.`)
  return others
}
