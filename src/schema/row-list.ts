import { isNode, type Node } from './dialect/conversion.js'
import type { References } from './dialect/references.js'
import { samePlaces, unionsOf } from './places.js'

/** The list of a document whose items are sent one by one. */
export interface RowList {
  /** The schema of the list. */
  readonly schema: unknown
  /** Whether the document itself is the list. If not, its property `items` is, as in a page. */
  readonly isDocument: boolean
}

/**
 * Finds the list of which a row is an item: the document itself, or its property `items`. `null` if there is none, or if
 * its items depend on their position or on a condition: a row that comes alone shows neither.
 */
export function findRowList(json: unknown, resolve: References['resolve']): RowList | null {
  const property = itemsOf(json, resolve)
  const found = [json, property].filter((schema) => isList(schema, resolve))
  if (found.length === 0 || [json, ...found].some((each) => isUnclear(each, resolve))) return null
  const schema = found.length === 1 ? found[0] : { anyOf: found }
  return { schema, isDocument: found[0] === json }
}

/** Whether a schema describes a list. A schema without keywords describes every value. */
function isList(
  schema: unknown,
  resolve: References['resolve'],
  seen: ReadonlySet<unknown> = new Set(),
): boolean {
  if (schema === true || (isNode(schema) && seen.has(schema))) return true
  if (!isNode(schema) || !allowsList(schema)) return false
  const within = new Set([...seen, schema])
  const is = (part: unknown) => isList(part, resolve, within)
  return partsOf(schema, resolve).every(is) && unionsOf(schema).every((all) => all.some(is))
}

/** A schema without `type` that names properties describes an object. */
function allowsList({ type, items, properties, additionalProperties, ...rest }: Node): boolean {
  if (rest.const !== undefined || rest.enum !== undefined) return false
  if (type !== undefined) return [type].flat().includes('array')
  return items !== undefined || (properties === undefined && additionalProperties === undefined)
}

/** The schema of the property `items`; `undefined` if no schema names it. */
function itemsOf(
  schema: unknown,
  resolve: References['resolve'],
  seen: ReadonlySet<unknown> = new Set(),
): unknown {
  if (!isNode(schema) || seen.has(schema)) return undefined
  const within = new Set([...seen, schema])
  const inside = (part: unknown) => itemsOf(part, resolve, within)
  const own = isNode(schema.properties) ? [schema.properties['items']] : []
  const unions = unionsOf(schema).map((all) => joined('anyOf', all.map(inside)))
  return joined('allOf', [...own, ...partsOf(schema, resolve).map(inside), ...unions])
}

function joined(word: 'allOf' | 'anyOf', schemas: readonly unknown[]): unknown {
  const found = schemas.filter((schema) => schema !== undefined)
  return found.length > 1 ? { [word]: found } : found[0]
}

/** The schemas that always apply beside one. */
function partsOf(node: Node, resolve: References['resolve']): unknown[] {
  const { $ref, allOf } = node
  return [...($ref === undefined ? [] : [resolve(node)]), ...(Array.isArray(allOf) ? allOf : [])]
}

/** Whether anything but the schema of all items decides about an item. */
function isUnclear(schema: unknown, resolve: References['resolve']): boolean {
  if (!isNode(schema)) return false
  return [...samePlaces(schema, resolve)].some(
    ({ items, ...node }) =>
      Array.isArray(items) || UNCLEAR.some((word) => node[word] !== undefined),
  )
}

const UNCLEAR = ['prefixItems', 'if', 'dependentSchemas', 'dependencies', 'patternProperties']
