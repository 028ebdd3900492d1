import { isNode, type Node } from '../dialect/conversion.js'
import { type References, readReferences } from '../dialect/references.js'

/** The abilities that a caller needs to see a field: every one of them. Sorted, each once. */
export type Mark = readonly string[]

/** The keyword of JSON Schema that marks a field. */
const KEYWORD = 'visibleTo'

/** The mark of a schema itself; `null` without one, or if its value is wrong. */
export function markOf(node: Node): Mark | null {
  const value = node[KEYWORD]
  if (value === undefined) return null
  const names: readonly unknown[] = Array.isArray(value) ? value : [value]
  const isValid = names.length > 0 && names.every((name) => typeof name === 'string' && name !== '')
  return isValid ? [...new Set(names as readonly string[])].sort() : null
}

/** Whether a schema has the keyword with a value that is not a mark. */
export function hasWrongMark(node: Node): boolean {
  return node[KEYWORD] !== undefined && markOf(node) === null
}

/** A text that only equal marks have. */
export function keyOfMark(mark: Mark): string {
  return JSON.stringify(mark)
}

/** Returns the schemas inside a schema that describe the same value, without the schemas of unions. */
export function partsOfValue(node: Node, resolve: References['resolve']): unknown[] {
  const { $ref, allOf, then: yes, else: no, dependentSchemas, dependencies } = node
  return [
    ...($ref === undefined ? [] : [resolve(node)]),
    ...(Array.isArray(allOf) ? allOf : []),
    yes,
    no,
    ...Object.values(isNode(dependentSchemas) ? dependentSchemas : {}),
    ...Object.values(isNode(dependencies) ? dependencies : {}),
  ]
}

/** Returns the alternatives of a schema. */
export function unionsOf({ anyOf, oneOf }: Node): (readonly unknown[])[] {
  return [anyOf, oneOf].filter((branches) => Array.isArray(branches))
}

/** Returns a schema, and all schemas that may describe the same value: references, parts and alternatives. */
export function samePlaces(root: Node, resolve: References['resolve']): ReadonlySet<Node> {
  const found = new Set<Node>([root])
  for (const node of found) {
    for (const part of [...partsOfValue(node, resolve), ...unionsOf(node).flat()]) {
      if (isNode(part)) found.add(part)
    }
  }
  return found
}

/** A marked part of a value. */
export interface MarkedPlace {
  /** The names that lead to it, and `*` for items and for properties without a name: `items.*.salary`. */
  readonly path: string
  /** The name of the property; `null` for an item, or a property without a name. */
  readonly name: string | null
  readonly mark: Mark
  /** Whether the object around it must have it. */
  readonly isRequired: boolean
}

/** A mark that cannot have an effect, and why. */
export interface WrongMark {
  readonly path: string
  readonly cause: string
}

/** The marks of one schema. */
export interface FoundMarks {
  readonly places: readonly MarkedPlace[]
  readonly wrong: readonly WrongMark[]
}

const NONE: FoundMarks = { places: [], wrong: [] }

/** Finds all marks of a JSON Schema. */
export function findMarks(json: unknown): FoundMarks {
  return isNode(json) && mayHaveMarks(json) ? new MarkSearch(json).search() : NONE
}

/** Whether the keyword is anywhere in a schema. Values of examples count as well, which costs only a search. */
export function mayHaveMarks(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(mayHaveMarks)
  for (const key in value) {
    if (key === KEYWORD || mayHaveMarks((value as Node)[key])) return true
  }
  return false
}

/** The kind of value that a schema describes. Only a property or an item can be left out. */
interface Spot extends Omit<MarkedPlace, 'mark'> {
  readonly kind: 'whole' | 'part' | 'position' | 'condition'
}

const CAUSES: Readonly<Record<Exclude<Spot['kind'], 'part'>, string>> = {
  whole: 'is on the whole value, which cannot be left out',
  position: 'is on a position of a tuple, which cannot be left out',
  condition: 'is in a condition, which describes no field',
}

const CONDITIONS = ['not', 'if', 'contains', 'propertyNames', 'contentSchema'] as const
const RECORDS = ['additionalProperties', 'unevaluatedProperties'] as const
const LISTS = ['items', 'additionalItems', 'unevaluatedItems'] as const

class MarkSearch {
  readonly #root: Node
  readonly #resolve: References['resolve']
  readonly #places = new Map<string, MarkedPlace>()
  readonly #wrong = new Map<string, WrongMark>()
  readonly #seen = new Map<Node, Set<string>>()

  constructor(root: Node) {
    this.#root = root
    this.#resolve = readReferences(root).resolve
  }

  search(): FoundMarks {
    this.#visit(this.#root, { kind: 'whole', path: '', name: null, isRequired: true })
    return { places: [...this.#places.values()], wrong: [...this.#wrong.values()] }
  }

  #visit(node: unknown, spot: Spot): void {
    if (!isNode(node) || this.#isSeen(node, spot)) return
    this.#note(node, spot)
    const same = [...partsOfValue(node, this.#resolve), ...unionsOf(node).flat()]
    for (const part of same) this.#visit(part, spot)
    for (const word of CONDITIONS) this.#visit(node[word], { ...spot, kind: 'condition' })
    const inside = spot.kind === 'condition' ? spot.kind : 'part'
    const other: Spot = { kind: inside, path: below(spot, '*'), name: null, isRequired: false }
    for (const word of RECORDS) this.#visit(node[word], other)
    for (const each of Object.values(nodeOr(node.patternProperties))) this.#visit(each, other)
    this.#visitProperties(node, spot, inside)
    this.#visitItems(node, other)
  }

  #visitProperties(node: Node, spot: Spot, kind: Spot['kind']): void {
    const required = Array.isArray(node.required) ? node.required : []
    for (const [name, child] of Object.entries(nodeOr(node.properties))) {
      const isRequired = required.includes(name)
      this.#visit(child, { kind, path: below(spot, name), name, isRequired })
    }
  }

  #visitItems(node: Node, item: Spot): void {
    for (const word of LISTS) {
      const value = node[word]
      if (!Array.isArray(value)) this.#visit(value, item)
    }
    const positions = Array.isArray(node.items) ? node.items : node.prefixItems
    for (const each of Array.isArray(positions) ? positions : []) {
      this.#visit(each, item.kind === 'part' ? { ...item, kind: 'position' } : item)
    }
  }

  /** A schema may describe a field here and the whole value there, so it is visited once for each. */
  #isSeen(node: Node, { kind, name }: Spot): boolean {
    const key = `${kind} ${name ?? '*'}`
    const seen = this.#seen.get(node) ?? new Set()
    this.#seen.set(node, seen)
    return seen.size === seen.add(key).size
  }

  #note(node: Node, spot: Spot): void {
    const { kind, path } = spot
    const mark = markOf(node)
    if (hasWrongMark(node)) {
      this.#wrong.set(path, { path, cause: 'is neither a text nor a list of texts' })
    } else if (mark !== null && kind !== 'part') {
      this.#wrong.set(path, { path, cause: CAUSES[kind] })
    } else if (mark !== null) {
      this.#places.set(`${path} ${keyOfMark(mark)}`, { ...spot, mark })
    }
  }
}

function below({ path }: Spot, step: string): string {
  return path === '' ? step : `${path}.${step}`
}

function nodeOr(value: unknown): Node {
  return isNode(value) ? value : {}
}
