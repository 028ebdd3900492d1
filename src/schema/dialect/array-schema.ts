import type { OpenApiSchema } from '../../contracts/openapi-3-0.js'
import { below, type Conversion, type Draft, isNever, type Node } from './conversion.js'
import { copyCount } from './scalar-schema.js'
import { isEqual } from './types.js'
import { anyOf } from './union.js'

/** The item schemas of a list: the schemas of the first items by position, and the schema of all other items. */
interface Positions {
  readonly first: readonly unknown[]
  /** `undefined` when the schema allows any other items. */
  readonly rest: unknown
}

/**
 * Converts `items` and the other keywords of lists. OpenAPI 3.0 has no tuples: their items become a union,
 * and the limit on their length stays.
 */
export function arraySchema(node: Node, path: string, conversion: Conversion): OpenApiSchema {
  const dropped = droppedKeyword(node)
  if (dropped !== undefined) {
    conversion.lose(path, `'${dropped}' is not in the document: OpenAPI 3.0 cannot express it.`)
  }
  const { first, rest } = positions(node)
  const item = below(path, '*')
  const bounds: Draft = {}
  copyCount(bounds, 'minItems', node)
  copyCount(bounds, 'maxItems', node)
  const unique = node.uniqueItems === true && { uniqueItems: true }
  const others = rest === undefined ? {} : conversion.convert(rest, item)
  if (first.length === 0) {
    if (isNever(others)) return { items: {}, ...bounds, maxItems: 0, ...unique }
    return { items: others, ...bounds, ...unique }
  }
  const places = first.map((schema, at) => conversion.convert(schema, below(path, `${at}`)))
  const isClosed = isNever(others)
  const items = distinct(isClosed ? places : [...places, others])
  if (items.length > 1) {
    conversion.lose(path, 'OpenAPI 3.0 has no tuples: any of the items may stand at any place.')
  }
  return {
    ...(conversion.keepsTuples && { prefixItems: places }),
    items: items.some(isAnything) ? {} : anyOf(items),
    ...bounds,
    ...(isClosed && { maxItems: Math.min(bounds.maxItems ?? places.length, places.length) }),
    ...unique,
  }
}

/**
 * Reads `prefixItems` and `items` of 2020-12, or the list `items` and `additionalItems` of earlier drafts.
 */
function positions(node: Node): Positions {
  const { prefixItems, items, additionalItems } = node
  if (Array.isArray(prefixItems)) {
    return { first: prefixItems, rest: Array.isArray(items) ? undefined : restOf(node, items) }
  }
  if (Array.isArray(items)) return { first: items, rest: restOf(node, additionalItems) }
  return { first: [], rest: restOf(node, items) }
}

function restOf({ unevaluatedItems }: Node, rest: unknown): unknown {
  return rest === undefined ? unevaluatedItems : rest
}

function droppedKeyword(node: Node): string | undefined {
  return ['contains', 'minContains', 'maxContains'].find((keyword) => node[keyword] !== undefined)
}

function isAnything(schema: OpenApiSchema): boolean {
  return Object.keys(schema).length === 0
}

function distinct(schemas: readonly OpenApiSchema[]): OpenApiSchema[] {
  return schemas.filter((schema, at) => schemas.findIndex((other) => isEqual(schema, other)) === at)
}
