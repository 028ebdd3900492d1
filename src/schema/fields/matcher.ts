import { isNode, type Node } from '../dialect/conversion.js'
import type { References } from '../dialect/references.js'
import { positionsOf } from '../places.js'
import { isListValid, isNever, isValueValid, toExpression } from './bounds.js'

/** The keys from the root of a value to one of its parts. */
export type Path = readonly (string | number)[]

/**
 * Whether JSON data is valid against a schema. Properties that the schema does not name are ignored, because responses
 * do not contain them.
 */
export type Matches = (schema: unknown, plain: unknown) => boolean

/** Returns the path of an invalid part; `null` if the whole value is valid. */
export type FindMismatch = (schema: unknown, plain: unknown) => Path | null

/** The schemas that were entered before the current schema, for the same part of the value. */
interface Entered {
  readonly node: Node
  readonly before: Entered | null
}

interface MatchPlace {
  readonly path: Path
  readonly entered: Entered | null
}

const START: MatchPlace = { path: [], entered: null }

/**
 * Creates functions that compare JSON data with a schema. Unlike a compiled validator, they do not need generated code.
 */
export function createMatcher(resolve: References['resolve']): {
  readonly matches: Matches
  readonly findMismatch: FindMismatch
} {
  const findMismatch: FindMismatch = (schema, plain) => {
    const known: Known = new Map()
    const find: Find = (node, value, place) => {
      const search = { place, find, resolve }
      const isPart = place.entered === null && typeof value === 'object' && value !== null
      return isPart && isNode(node)
        ? findOnce(node, value, { ...search, known })
        : findIn(node, value, search)
    }
    return find(schema, plain, START)
  }
  return { matches: (schema, plain) => findMismatch(schema, plain) === null, findMismatch }
}

/** The results of one search: the path to the invalid part, by schema and by part of the value. */
type Known = Map<Node, Map<object, Path | null>>

/**
 * Finds an invalid part, and caches the result. The parts of a value are compared with each alternative of a union. If
 * the alternatives contain the union itself, a part would otherwise be compared again for each alternative at each
 * higher level.
 */
function findOnce(
  node: Node,
  value: object,
  { known, ...search }: Search & { readonly known: Known },
): Path | null {
  const { path } = search.place
  const results = known.get(node) ?? new Map<object, Path | null>()
  known.set(node, results)
  let found = results.get(value)
  if (found === undefined) {
    found = findIn(node, value, { ...search, place: START })
    results.set(value, found)
  }
  return found && [...path, ...found]
}

type Find = (schema: unknown, value: unknown, place: MatchPlace) => Path | null

interface Search {
  readonly place: MatchPlace
  readonly find: Find
  readonly resolve: References['resolve']
}

function findIn(schema: unknown, value: unknown, search: Search): Path | null {
  const { path, entered } = search.place
  if (schema === false) return path
  if (!isNode(schema)) return null
  for (let each = entered; each !== null; each = each.before) if (each.node === schema) return null
  if (isNever(schema) || !isValueValid(schema, value)) return path
  const here = { ...search, place: { path, entered: { node: schema, before: entered } } }
  return (
    (Array.isArray(value) ? inList(schema, value, here) : null) ??
    (isNode(value) ? inObject(schema, value, here) : null) ??
    inCombinations(schema, value, here)
  )
}

function below({ path }: MatchPlace, key: string | number): MatchPlace {
  return { path: [...path, key], entered: null }
}

function firstOf<T>(items: Iterable<T>, find: (item: T) => Path | null): Path | null {
  for (const item of items) {
    const path = find(item)
    if (path !== null) return path
  }
  return null
}

function inList(node: Node, list: readonly unknown[], { find, place }: Search): Path | null {
  const { contains } = node
  if (!isListValid(node, list)) return place.path
  const { first, rest } = positionsOf(node)
  const found = firstOf(list.entries(), ([index, item]) => {
    const schema = index < first.length ? first[index] : rest
    // Items after the last described item are dropped.
    return schema === undefined || isNever(schema) ? null : find(schema, item, below(place, index))
  })
  if (found !== null || contains === undefined) return found
  const count = list.filter((item) => find(contains, item, START) === null).length
  const { minContains = 1, maxContains = Infinity } = node as Record<string, number | undefined>
  return count >= minContains && count <= maxContains ? null : place.path
}

function inObject(node: Node, object: Node, { find, place }: Search): Path | null {
  const { properties, patternProperties, additionalProperties, required, propertyNames } = node
  const named = isNode(properties) ? properties : {}
  const patterns = isNode(patternProperties) ? Object.entries(patternProperties) : []
  const missing = (names: unknown) =>
    (Array.isArray(names) ? names : []).find((name) => !Object.hasOwn(object, name))
  const absent = missing(required)
  if (absent !== undefined) return [...place.path, absent]
  const found = firstOf(Object.keys(object), (name) => {
    const isNamed = Object.hasOwn(named, name)
    const matching = patterns
      .filter(([source]) => toExpression(source)?.test(name) === true)
      .map(([, each]) => each)
    const schemas = [...(isNamed ? [named[name]] : []), ...matching]
    if (schemas.length === 0 && isNode(additionalProperties)) {
      // Properties whose names the schema does not allow are dropped.
      if (propertyNames !== undefined && find(propertyNames, name, START) !== null) return null
      schemas.push(additionalProperties)
    }
    const at = below(place, name)
    return firstOf(schemas, (schema) => (isNever(schema) ? null : find(schema, object[name], at)))
  })
  if (found !== null) return found
  const { dependentRequired, dependencies } = node
  return firstOf([dependentRequired, dependencies], (byName) =>
    firstOf(Object.entries(isNode(byName) ? byName : {}), ([name, names]) => {
      const needed = Object.hasOwn(object, name) ? missing(names) : undefined
      return needed === undefined ? null : [...place.path, needed]
    }),
  )
}

function inCombinations(node: Node, value: unknown, { find, place, resolve }: Search): Path | null {
  const { $ref, allOf, anyOf, oneOf, not, if: condition, dependentSchemas } = node
  const search = (schema: unknown) => find(schema, value, place)
  if ($ref !== undefined) {
    const path = search(resolve(node))
    if (path !== null) return path
  }
  const all = Array.isArray(allOf) ? allOf : []
  const branch = condition === undefined ? true : search(condition) === null ? node.then : node.else
  const wanted = Object.entries(isNode(dependentSchemas) && isNode(value) ? dependentSchemas : {})
    .filter(([name]) => Object.hasOwn(value as Node, name))
    .map(([, schema]) => schema)
  const path = firstOf([...all, branch, ...wanted], search)
  if (path !== null) return path
  if (not !== undefined && search(not) === null) return place.path
  return firstOf([anyOf, oneOf], (list) => (Array.isArray(list) ? inUnion(list, search) : null))
}

/**
 * Compares a value with a union. One matching alternative is sufficient, even for `oneOf`, because alternatives that
 * differ only in their optional properties all match. If a value matches no alternative, the result is the deepest
 * path, which probably belongs to the intended alternative.
 */
function inUnion(
  schemas: readonly unknown[],
  search: (schema: unknown) => Path | null,
): Path | null {
  let deepest: Path | null = null
  for (const schema of schemas) {
    const path = search(schema)
    if (path === null) return null
    if (deepest === null || path.length > deepest.length) deepest = path
  }
  return deepest
}

/**
 * Returns a path for the log, such as `data.items[0].id`. A name that the schema does not contain becomes `*`, because
 * it comes from the data: the key of a record can be an e-mail address.
 *
 * @param names All property names in the schema.
 */
export function showPath(path: Path, names: ReadonlySet<string>): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${names.has(key) ? key : '*'}`))
    .join('')
    .replace(/^\./, '')
}

/** Returns the names of all properties that a JSON Schema describes or requires, at any depth. */
export function namesIn(schema: unknown): Set<string> {
  const names = new Set<string>()
  const seen = new Set<unknown>()
  const open = [schema]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    open.push(...Object.values(value))
    if (!isNode(value)) continue
    const { properties, required } = value
    if (isNode(properties)) for (const name of Object.keys(properties)) names.add(name)
    if (!Array.isArray(required)) continue
    for (const name of required) if (typeof name === 'string') names.add(name)
  }
  return names
}
