import { COERCED_MARK, isNode, MADE_MARK, type Node } from './dialect/conversion.js'
import { type References, readReferences } from './dialect/references.js'
import { isOfType } from './dialect/types.js'

/**
 * How a value is sent. `json`: as JSON. `text`: as one string. `list`: as a string or a list of strings. `nested`: as a
 * string, a list, or an object that contains such values.
 */
export type Carrier = 'json' | 'text' | 'list' | 'nested'

/** A value that a schema requires but no request can carry. */
export interface Unsendable {
  /** The path in the input, such as `page` or `items.*.at`; empty for the input itself. */
  readonly path: string
  /** The type of the value: `number`, `boolean`, `array`, `object`, `Date`, `bigint`, `File`, `Map` or `Set`. */
  readonly type: string
  /** The only accepted values; `null` if the schema does not list them. */
  readonly values: readonly unknown[] | null
}

/** The facts that {@link findUnsendable} needs, in addition to the schema. */
export interface Arrival {
  /** How the fields of the input are sent; for JSON and text bodies, how the body is sent. */
  readonly carrier: Carrier
  /** Whether the input is an object with separately encoded fields. */
  readonly hasFields: boolean
  /** Whether the validator converts strings to the types in the schema, as Ajv does. */
  readonly coerces: boolean
}

/** The maximum depth to read, because a schema can contain itself. */
const MAX_DEPTH = 12

/**
 * Finds the values that a schema requires but no request can carry. For example, `z.number()` requires a number in a
 * query, where every value is a string.
 *
 * @param json The input side of the schema as described by its library, before the conversion to OpenAPI.
 */
export function findUnsendable(json: unknown, arrival: Arrival): readonly Unsendable[] {
  // JSON can carry all values except values that only code can create, so the search ends here for nearly all JSON
  // bodies.
  if (arrival.carrier === 'json' && !mentions(json, MADE_MARK)) return []
  const search = new Search(readReferences(json), arrival.coerces)
  const found = arrival.hasFields
    ? search.fields([json], { path: '', carrier: arrival.carrier, depth: 0 })
    : search.value(json, { path: '', carrier: arrival.carrier, depth: 0 })
  const byPath = new Map(found.map((each) => [`${each.path} ${each.type}`, each]))
  return [...byPath.values()]
}

function mentions(value: unknown, key: string): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Object.hasOwn(value, key)) return true
  for (const name in value) if (mentions((value as Node)[name], key)) return true
  return false
}

interface CarrierPlace {
  readonly path: string
  readonly carrier: Carrier
  readonly depth: number
}

class Search {
  readonly #references: References
  readonly #coerces: boolean

  constructor(references: References, coerces: boolean) {
    this.#references = references
    this.#coerces = coerces
  }

  /** Searches the fields of an object. A field that occurs in several alternatives can match any of them. */
  fields(alternatives: readonly unknown[], place: CarrierPlace): Unsendable[] {
    const nodes = alternatives.map((each) => this.#resolve(each)).filter(isNode)
    if (place.depth > MAX_DEPTH || nodes.length === 0) return []
    const inner = { ...place, depth: place.depth + 1 }
    const names = new Set(nodes.flatMap((node) => Object.keys(Object(node.properties))))
    const own = [...names].flatMap((name) => {
      const anyOf = nodes.flatMap(({ properties }) => (Object(properties) as Node)[name] ?? [])
      return this.value({ anyOf }, { ...inner, path: below(place.path, name) })
    })
    const choices = nodes.flatMap((node) => choicesOf(node))
    const parts = nodes.flatMap(({ allOf }) => (Array.isArray(allOf) ? allOf : []))
    return [
      ...own,
      ...(choices.length > 0 ? this.fields(choices, inner) : []),
      ...parts.flatMap((part) => this.fields([part], inner)),
    ]
  }

  value(schema: unknown, place: CarrierPlace): Unsendable[] {
    const node = this.#resolve(schema)
    if (place.depth > MAX_DEPTH || !isNode(node) || node[COERCED_MARK] === true) return []
    const inner = { ...place, depth: place.depth + 1 }
    const parts = Array.isArray(node.allOf) ? node.allOf : []
    return [
      ...this.#choices(choicesOf(node), inner),
      ...parts.flatMap((part) => this.value(part, inner)),
      ...this.#own(node, place),
    ]
  }

  #choices(choices: readonly unknown[], place: CarrierPlace): Unsendable[] {
    const nodes = choices.map((choice) => this.#resolve(choice))
    const found = nodes.map((node) => this.value(node, place))
    // In JSON, one alternative that can be sent is sufficient. Otherwise, only a string without constraints can
    // represent the values of all other alternatives.
    const isCovered = nodes.some((node, index) =>
      place.carrier === 'json' ? found[index]?.length === 0 && !isNull(node) : isOpen(node),
    )
    return isCovered ? [] : found.flat()
  }

  #own(node: Node, place: CarrierPlace): Unsendable[] {
    const { path, carrier } = place
    const made = node[MADE_MARK]
    if (typeof made === 'string') return [{ path, type: made, values: null }]
    const values = constantsOf(node)
    const type = typeOf(node, values)
    if (type === 'object') return this.#object(node, place)
    if (type === 'array') return this.#list(node, place)
    if (carrier === 'json' || type === null) return []
    const isMixed = values?.some((value) => typeof value === 'string') === true
    if (this.#coerces && !isMixed) return []
    return [{ path, type, values: values?.filter((value) => typeof value === type) ?? null }]
  }

  #object(node: Node, place: CarrierPlace): Unsendable[] {
    const { path, carrier, depth } = place
    if (carrier !== 'json' && carrier !== 'nested') return [{ path, type: 'object', values: null }]
    const { additionalProperties: rest } = node
    const others = { path: below(path, '*'), carrier, depth: depth + 1 }
    // The object's alternatives are searched separately, as alternatives of the whole value.
    const fields = { properties: node.properties }
    return [...this.fields([fields], place), ...this.value(rest, others)]
  }

  #list(node: Node, { path, carrier, depth }: CarrierPlace): Unsendable[] {
    const isOfOne = this.#coerces && !(Number(node.minItems) > 1)
    if (carrier === 'text' && !isOfOne) return [{ path, type: 'array', values: null }]
    const inner = carrier === 'list' ? 'text' : carrier
    const place = { path: below(path, '*'), carrier: inner, depth: depth + 1 }
    const items = [node.items, node.prefixItems].flat()
    return items.flatMap((item) => this.value(item, place))
  }

  #resolve(schema: unknown): unknown {
    if (!isNode(schema) || typeof schema.$ref !== 'string') return schema
    return this.#references.resolve(schema) ?? {}
  }
}

function below(path: string, step: string): string {
  return path === '' ? step : `${path}.${step}`
}

function choicesOf({ anyOf, oneOf }: Node): readonly unknown[] {
  return [anyOf, oneOf].flatMap((each) => (Array.isArray(each) ? each : []))
}

/** Whether a schema accepts any string. */
function isOpen(node: unknown): boolean {
  if (!isNode(node)) return node !== false
  const { type } = node
  if (node[MADE_MARK] !== undefined || constantsOf(node) !== null) return false
  if (choicesOf(node).length > 0 || Array.isArray(node.allOf)) return false
  return type === undefined ? typeOf(node, null) === null : [type].flat().includes('string')
}

function isNull(node: unknown): boolean {
  return isNode(node) && (node.type === 'null' || node.const === null)
}

/** Returns the constants that the type allows; `null` if the schema has none. */
function constantsOf(node: Node): readonly unknown[] | null {
  const values: unknown = node.const === undefined ? node.enum : [node.const]
  if (!Array.isArray(values)) return null
  const types = node.type === undefined ? null : [node.type].flat()
  return values.filter((value) => types === null || types.some(isOfType(value)))
}

/**
 * Returns the type of the accepted values; `null` if strings or values of any type are accepted. For constants, returns
 * the type of the first number or boolean, and `null` if there is none.
 */
function typeOf(node: Node, values: readonly unknown[] | null): string | null {
  if (values !== null) {
    const scalars = values.map((value) => typeof value)
    return scalars.find((type) => type === 'number' || type === 'boolean') ?? null
  }
  const types = [node.type].flat().filter((type) => type !== undefined && type !== 'null')
  if (types.includes('string')) return null
  const [type] = types
  if (type === undefined) return isNode(node.properties) ? 'object' : null
  return type === 'integer' ? 'number' : String(type)
}
