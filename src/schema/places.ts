import { below, isNode, type Node } from './dialect/conversion.js'
import type { References } from './dialect/references.js'
import { OF_MEMBERS, type Subschema, subschemasOf } from './keywords.js'

type Resolve = References['resolve']

/** Returns the schemas inside a schema that describe the same value, excluding the schemas of unions. */
export function partsOfValue(node: Node, resolve: Resolve): unknown[] {
  const referred = node.$ref === undefined ? [] : [resolve(node)]
  const inside = subschemasOf(node).filter(({ relation }) => relation === 'part')
  return [...referred, ...inside.map(({ schema }) => schema)]
}

/** Returns the alternatives of a schema. */
export function unionsOf({ anyOf, oneOf }: Node): (readonly unknown[])[] {
  return [anyOf, oneOf].filter((branches) => Array.isArray(branches))
}

/**
 * Returns a schema and all schemas that can describe the same value: references, parts, alternatives and conditions.
 */
export function samePlaces(root: Node, resolve: Resolve): ReadonlySet<Node> {
  const found = new Set<Node>([root])
  for (const node of found) {
    for (const part of [...partsOfValue(node, resolve), ...unionsOf(node).flat(), node.if]) {
      if (isNode(part)) found.add(part)
    }
  }
  return found
}

/** The schemas of the items of a list. */
export interface Positions {
  /** The schemas of the first items, by position. */
  readonly first: readonly unknown[]
  /** The schema of all other items; `undefined` if there is none. */
  readonly rest: unknown
}

/** Reads `prefixItems` and `items` of 2020-12, or the list `items` and `additionalItems` of earlier drafts. */
export function positionsOf({ prefixItems, items, additionalItems }: Node): Positions {
  if (Array.isArray(items)) return { first: items, rest: additionalItems }
  return { first: Array.isArray(prefixItems) ? prefixItems : [], rest: items }
}

/** A schema, and the position of the value that it describes. */
export interface Place {
  readonly node: Node
  /**
   * The path to the value: property names, with `*` for items and for properties without a name, as in
   * `items.*.salary`.
   */
  readonly path: string
  /** The name of the property; `null` for an item, or a property without a name. */
  readonly name: string | null
  /**
   * The name of the innermost property that is the value itself or contains the value in lists and records; `null` if
   * there is none.
   */
  readonly holder: string | null
  /** Whether the surrounding object requires the property. */
  readonly isRequired: boolean
  /** A `position` is an item with its own schema. A schema in a `condition` does not describe a part of the value. */
  readonly kind: 'whole' | 'member' | 'position' | 'condition'
}

type Spot = Omit<Place, 'node'>

/**
 * Lists the places of a schema. The searches for marks, secrets and undescribed parts use this list. A schema that
 * describes values with several names is listed once for each name.
 */
export function listPlaces(root: unknown, resolve: Resolve): Place[] {
  const places: Place[] = []
  const seen = new Map<Node, Set<string>>()
  const visit = (node: unknown, spot: Spot): void => {
    if (!isNode(node)) return
    const { kind, name, holder } = spot
    const known = seen.get(node) ?? new Set()
    seen.set(node, known)
    if (known.size === known.add(JSON.stringify([kind, name, holder])).size) return
    places.push({ ...spot, node })
    if (node.$ref !== undefined) visit(resolve(node), spot)
    for (const inside of subschemasOf(node)) {
      const own = spotOf(inside, node, spot)
      if (own !== null) visit(inside.schema, own)
    }
  }
  visit(root, { path: '', name: null, holder: null, isRequired: true, kind: 'whole' })
  return places
}

/** Like {@link listPlaces}, with only the first place of each schema, and without conditions. */
export function firstPlaces(root: unknown, resolve: Resolve): Place[] {
  const seen = new Set<Node>()
  return listPlaces(root, resolve).filter(
    ({ node, kind }) => kind !== 'condition' && seen.size !== seen.add(node).size,
  )
}

function spotOf({ relation, keyword, step }: Subschema, node: Node, spot: Spot): Spot | null {
  const kind = spot.kind === 'condition' ? spot.kind : 'member'
  switch (relation) {
    case 'part':
    case 'choice':
      return spot
    case 'condition':
      return { ...spot, kind: relation }
    case 'property': {
      const isRequired = Array.isArray(node.required) && node.required.includes(step)
      return { path: below(spot.path, String(step)), name: step, holder: step, isRequired, kind }
    }
    case 'rest':
    case 'item': {
      const isPosition = relation === 'item' && Array.isArray(node[keyword]) && kind === 'member'
      return {
        path: below(spot.path, '*'),
        name: null,
        holder: spot.holder,
        isRequired: false,
        kind: isPosition ? 'position' : kind,
      }
    }
    case 'definition':
      return null
  }
}

/** Determines which schemas match, and which schemas lead to a matching schema. */
export class Reach {
  readonly #resolve: Resolve
  readonly #is: (node: Node) => boolean
  readonly #same = new Map<Node, ReadonlySet<Node>>()
  readonly #leads = new Map<Node, boolean>()
  readonly #ids = new Map<Node, number>()

  /** @param is Returns whether a schema matches. */
  constructor(resolve: Resolve, is: (node: Node) => boolean) {
    this.#resolve = resolve
    this.#is = is
  }

  /** Like {@link samePlaces}, but computed only once for each schema. */
  sameAs(node: Node): ReadonlySet<Node> {
    const found = this.#same.get(node) ?? samePlaces(node, this.#resolve)
    this.#same.set(node, found)
    return found
  }

  /** Whether a matching schema can describe a value of this schema or any part of the value. */
  leads(start: Node): boolean {
    const known = this.#leads.get(start)
    if (known !== undefined) return known
    const reached = new Set<Node>([start])
    for (const node of reached) {
      for (const each of [...this.sameAs(node), ...membersOf(node)]) reached.add(each)
    }
    const leads = [...reached].some(this.#is)
    this.#leads.set(start, leads)
    return leads
  }

  /** Returns a key that is unique to these schemas. */
  keyOf(nodes: readonly Node[]): string {
    return nodes.map((node) => this.#idOf(node)).join()
  }

  #idOf(node: Node): number {
    const id = this.#ids.get(node) ?? this.#ids.size
    this.#ids.set(node, id)
    return id
  }
}

/** Returns the schemas of all members of a value. */
export function membersOf(node: Node): Node[] {
  const inside = subschemasOf(node).filter(({ relation }) => OF_MEMBERS.has(relation))
  return [...inside.map(({ schema }) => schema), node.contains].filter(isNode)
}
