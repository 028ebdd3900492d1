import { isNode, type Node } from '../dialect/conversion.js'
import { toExpression } from '../fields/bounds.js'

/** The schemas that name a property. */
export function namedSchemas({ properties, patternProperties }: Node, name: string): Node[] {
  const own = isNode(properties) && Object.hasOwn(properties, name) ? [properties[name]] : []
  const matching = Object.entries(isNode(patternProperties) ? patternProperties : {})
    .filter(([source]) => toExpression(source)?.test(name) === true)
    .map(([, schema]) => schema)
  return [...own, ...matching].map(asNode).filter((schema) => schema !== null)
}

/** `true` names a property as well, and describes nothing else of it. */
function asNode(schema: unknown): Node | null {
  return schema === true ? ANYTHING : isNode(schema) ? schema : null
}

const ANYTHING: Node = {}

/** Whether patterns decide about names. */
export function hasPatterns({ patternProperties }: Node): boolean {
  return isNode(patternProperties) && Object.keys(patternProperties).length > 0
}

/** The schemas of a property that a schema does not name. */
export function otherSchemas(node: Node, name: string): Node[] {
  if (isNode(node.properties) && Object.hasOwn(node.properties, name)) return []
  return [node.additionalProperties, node.unevaluatedProperties].filter(isNode)
}

/** The schemas of an item. */
export function itemSchemas(node: Node, index: number): Node[] {
  const { items, prefixItems, additionalItems, unevaluatedItems } = node
  const positions = Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : []
  if (index < positions.length) return [positions[index]].filter(isNode)
  return [items, additionalItems, unevaluatedItems].filter(isNode)
}

/** The schemas of all members of a value. */
export function membersOf(node: Node): Node[] {
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = node
  const { items, prefixItems, additionalItems, unevaluatedItems } = node
  return [
    ...Object.values(isNode(properties) ? properties : {}),
    ...Object.values(isNode(patternProperties) ? patternProperties : {}),
    ...[items, prefixItems].flat(),
    additionalProperties,
    unevaluatedProperties,
    additionalItems,
    unevaluatedItems,
  ].filter(isNode)
}
