import { isNode, type Node } from '../dialect/conversion.js'
import type { References } from '../dialect/references.js'
import { toExpression } from '../fields/bounds.js'
import { partsOfValue, positionsOf, Reach, unionsOf } from '../places.js'
import { type Mark, markOf } from './marks.js'

/** Returns the alternatives of a union that can describe a value. */
export type SelectBranches = (branches: readonly unknown[], value: unknown) => readonly unknown[]

export interface ViewConfig {
  readonly resolve: References['resolve']
  readonly select: SelectBranches
  /** Whether to hide the fields with a mark from the caller. */
  readonly hides: (mark: Mark) => boolean
}

/** The schemas of one part of a value. */
interface Schemas {
  /** The schemas that certainly describe the value. */
  readonly sure: readonly Node[]
  /**
   * The schemas that could additionally describe the value: alternatives that the value does not match. Their marks
   * apply if no schema in `sure` names the field, so that an invalid value does not reveal more than a valid value.
   */
  readonly maybe: readonly Node[]
}

/** The schemas of a part before its alternatives are selected. Equal schemas have the same view. */
export interface View extends Schemas {
  /** Whether any part of a value with this view can be hidden. */
  readonly leads: boolean
  /** The only selection, if the view has no alternatives. */
  only: ChosenView | null
}

/** The schemas of a part after its alternatives were selected. */
export interface ChosenView extends Schemas {
  /** Whether the value is hidden from the caller. */
  readonly isHidden: boolean
  /** The property names in the schemas; `null` if a pattern determines names. */
  readonly names: ReadonlySet<string> | null
  /** The number of items with their own schemas. */
  readonly positions: number
  /** The views of the members found so far; `null` for a member that is hidden from the caller. */
  readonly members: Map<string | number, View | null>
}

/** The key that stands for all undescribed names. It is a number, so no property has this key. */
const OTHER_NAME = -1

/**
 * The maximum number of cached views of each kind. The values determine the alternatives, and ten alternatives have a
 * thousand combinations.
 */
const MOST = 500

/** Finds the schemas of the parts of values, and caches the results. */
export class Viewer {
  readonly #config: ViewConfig
  readonly #views = new Map<string, View>()
  readonly #chosen = new Map<string, ChosenView>()
  readonly #reach: Reach

  constructor(config: ViewConfig) {
    this.#config = config
    this.#reach = new Reach(config.resolve, (node) => this.#hides(node))
  }

  view(schemas: Schemas): View {
    const key = this.#keyOf(schemas)
    const known = this.#views.get(key)
    if (known !== undefined) return known
    const leads = [...schemas.sure, ...schemas.maybe].some((node) => this.#reach.leads(node))
    const made: View = { ...schemas, leads, only: null }
    if (this.#views.size >= MOST) this.#views.clear()
    this.#views.set(key, made)
    return made
  }

  /** Selects the alternatives that describe a value. */
  choose(view: View, value: unknown): ChosenView {
    if (view.only !== null) return view.only
    const { resolve, select } = this.#config
    const sure = new Set(view.sure)
    const others = new Set(view.maybe)
    let hasUnions = false
    for (const node of sure) {
      for (const part of partsOfValue(node, resolve)) if (isNode(part)) sure.add(part)
      for (const branches of unionsOf(node)) {
        hasUnions = true
        // If only the `null` alternative applied, a `null` beside a hidden alternative would reveal that the value is
        // missing.
        const fit = value === null ? branches : select(branches, value)
        for (const branch of branches) {
          if (isNode(branch)) (fit.includes(branch) ? sure : others).add(branch)
        }
      }
    }
    const doubtful = new Set([...others].flatMap((node) => [...this.#reach.sameAs(node)]))
    const maybe = [...doubtful].filter((node) => !sure.has(node))
    const made = this.#chosenView({ sure: [...sure], maybe })
    if (!hasUnions) view.only = made
    return made
  }

  /** Returns the view of a property; `null` if the property is hidden from the caller. */
  property(chosen: ChosenView, name: string): View | null {
    const { names, members } = chosen
    const key = names === null || names.has(name) ? name : OTHER_NAME
    const known = members.get(key)
    if (known !== undefined) return known
    const { sure, maybe } = chosen
    const named = sure.flatMap((node) => namedSchemas(node, name))
    const rest = sure.flatMap((node) => otherSchemas(node, name))
    const doubtful = maybe.flatMap((node) => [
      ...namedSchemas(node, name),
      ...otherSchemas(node, name),
    ])
    const isNamed = named.length > 0
    const made = this.#memberView({ sure: [...named, ...rest], maybe: doubtful }, isNamed)
    // With a pattern, any name is possible, so a map of all names would grow with the values.
    if (names !== null) members.set(key, made)
    return made
  }

  /** Returns the view of an item; `null` if the item is hidden from the caller. */
  item({ sure, maybe, members, positions }: ChosenView, index: number): View | null {
    const key = Math.min(index, positions)
    const known = members.get(key)
    if (known !== undefined) return known
    const items = sure.flatMap((node) => itemSchemas(node, key))
    const doubtful = maybe.flatMap((node) => itemSchemas(node, key))
    const made = this.#memberView({ sure: items, maybe: doubtful }, items.length > 0)
    members.set(key, made)
    return made
  }

  #memberView(schemas: Schemas, isNamed: boolean): View | null {
    const isHidden =
      !isNamed &&
      schemas.maybe.some((node) => [...this.#reach.sameAs(node)].some((each) => this.#hides(each)))
    return isHidden ? null : this.view(schemas)
  }

  #chosenView(schemas: Schemas): ChosenView {
    const key = this.#keyOf(schemas)
    const known = this.#chosen.get(key)
    if (known !== undefined) return known
    const all = [...schemas.sure, ...schemas.maybe]
    const made: ChosenView = {
      ...schemas,
      isHidden: schemas.sure.some((node) => this.#hides(node)),
      names: all.some(hasPatterns) ? null : new Set(all.flatMap(namesOf)),
      positions: Math.max(0, ...all.map((node) => positionsOf(node).first.length)),
      members: new Map(),
    }
    if (this.#chosen.size >= MOST) this.#chosen.clear()
    this.#chosen.set(key, made)
    return made
  }

  #hides(node: Node): boolean {
    const mark = markOf(node)
    return mark !== null && this.#config.hides(mark)
  }

  #keyOf({ sure, maybe }: Schemas): string {
    return `${this.#reach.keyOf(sure)}|${this.#reach.keyOf(maybe)}`
  }
}

function namesOf({ properties }: Node): string[] {
  return isNode(properties) ? Object.keys(properties) : []
}

/** Returns the schemas of a property that a schema names, directly or with a pattern. */
function namedSchemas({ properties, patternProperties }: Node, name: string): Node[] {
  const own = isNode(properties) && Object.hasOwn(properties, name) ? [properties[name]] : []
  const matching = Object.entries(isNode(patternProperties) ? patternProperties : {})
    .filter(([source]) => toExpression(source)?.test(name) === true)
    .map(([, schema]) => schema)
  return [...own, ...matching].map(asNode).filter((schema) => schema !== null)
}

/** Converts a schema to an object. The schema `true` also names a property, without describing it further. */
function asNode(schema: unknown): Node | null {
  return schema === true ? ANYTHING : isNode(schema) ? schema : null
}

const ANYTHING: Node = {}

function hasPatterns({ patternProperties }: Node): boolean {
  return isNode(patternProperties) && Object.keys(patternProperties).length > 0
}

/** Returns the schemas of a property that a schema does not name. */
function otherSchemas(node: Node, name: string): Node[] {
  if (isNode(node.properties) && Object.hasOwn(node.properties, name)) return []
  return [node.additionalProperties, node.unevaluatedProperties].filter(isNode)
}

function itemSchemas(node: Node, index: number): Node[] {
  const { first } = positionsOf(node)
  if (index < first.length) return [first[index]].filter(isNode)
  return [node.items, node.additionalItems, node.unevaluatedItems].filter(isNode)
}
