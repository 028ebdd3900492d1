import { isNode, type Node } from './dialect/conversion.js'
import type { References } from './dialect/references.js'
import { OF_MEMBERS, subschemasOf } from './keywords.js'
import { membersOf, Reach } from './places.js'

/** A part of the described values: either the search looks for this part, or the part contains such a part. */
export interface FoundPlace {
  /** Whether the search looks for this part itself. */
  readonly isFound: boolean
  /** The properties that lead to such a part, by name. */
  readonly properties: ReadonlyMap<string, FoundPlace>
  /** The place of all other properties; `null` if they lead to no such part. */
  readonly others: FoundPlace | null
  /** The place of the items of a list; `null` if they lead to no such part. */
  readonly items: FoundPlace | null
}

/**
 * Finds the parts of a value that at least one matching schema describes. A schema can contain itself. Therefore, the
 * members of a place are computed when they are first read, and places with the same schemas are the same object.
 *
 * @param is Returns whether a schema matches.
 * @returns `null` if no matching schema describes a part of the value.
 */
export function findPlaces(
  json: unknown,
  resolve: References['resolve'],
  is: (node: Node) => boolean,
): FoundPlace | null {
  const reach = new Reach(resolve, is)
  const known = new Map<string, FoundPlace>()
  const tells = (node: Node) => is(node) || membersOf(node).some((member) => reach.leads(member))
  const placeOf = (schemas: readonly unknown[]): FoundPlace | null => {
    const same = new Set(schemas.filter(isNode).flatMap((node) => [...reach.sameAs(node)]))
    // Schemas that only refer to others are left out, so that equal places have equal schemas.
    const telling = [...same].filter(tells)
    if (telling.length === 0) return null
    const key = reach.keyOf(telling)
    const place = known.get(key) ?? new LazyPlace(telling, telling.some(is), placeOf)
    known.set(key, place)
    return place
  }
  return placeOf([json])
}

type PlaceOf = (schemas: readonly unknown[]) => FoundPlace | null

class LazyPlace implements FoundPlace {
  readonly isFound: boolean
  readonly #schemas: readonly Node[]
  readonly #placeOf: PlaceOf
  #members: Omit<FoundPlace, 'isFound'> | undefined

  constructor(schemas: readonly Node[], isFound: boolean, placeOf: PlaceOf) {
    this.#schemas = schemas
    this.isFound = isFound
    this.#placeOf = placeOf
  }

  get properties(): FoundPlace['properties'] {
    return this.#read().properties
  }

  get others(): FoundPlace | null {
    return this.#read().others
  }

  get items(): FoundPlace | null {
    return this.#read().items
  }

  #read(): Omit<FoundPlace, 'isFound'> {
    if (this.#members !== undefined) return this.#members
    const named = new Map<string, unknown[]>()
    const [rest, items]: [unknown[], unknown[]] = [[], []]
    for (const { relation, keyword, step, schema } of this.#schemas.flatMap(subschemasOf)) {
      if (relation === 'property')
        named.set(String(step), [...(named.get(String(step)) ?? []), schema])
      else if (relation === 'rest') rest.push(schema)
      else if (OF_MEMBERS.has(relation) || keyword === 'contains') items.push(schema)
    }
    const properties = new Map<string, FoundPlace>()
    for (const [name, schemas] of named) {
      // A pattern can also describe the property.
      const place = this.#placeOf(schemas) && this.#placeOf([...schemas, ...rest])
      if (place !== null) properties.set(name, place)
    }
    this.#members = { properties, others: this.#placeOf(rest), items: this.#placeOf(items) }
    return this.#members
  }
}
