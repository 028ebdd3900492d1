import type { SchemaSide } from '../../contracts/openapi.js'
import { isNode, type Node } from '../dialect/conversion.js'
import { type References, readReferences } from '../dialect/references.js'
import { mapSubschemas } from '../keywords.js'
import { partsOfValue, unionsOf } from '../places.js'
import { findMarks, type Mark, markOf, mayHaveMarks } from './marks.js'

/** The readers of a document. */
export interface Readers {
  /**
   * The abilities that all readers share; `null` if the readers differ, so that the document contains the fields of all
   * callers.
   */
  readonly audience: readonly string[] | null
  readonly side: SchemaSide
}

/**
 * Returns a JSON Schema for the readers of a document. Fields for other callers are removed. If the readers differ,
 * every field is kept, and marked fields are optional in responses.
 */
export function forReaders(json: unknown, readers: Readers): unknown {
  return isNode(json) && mayHaveMarks(json) ? new ReaderView(json, readers).whole() : json
}

/** A schema that accepts no value. It replaces a hidden schema in keywords that require a schema. */
const NOTHING: Node = { not: {} }

class ReaderView {
  readonly #json: Node
  readonly #readers: Readers
  readonly #resolve: References['resolve']
  readonly #names: ReadonlySet<string | null>

  constructor(json: Node, readers: Readers) {
    this.#json = json
    this.#readers = readers
    this.#resolve = readReferences(json).resolve
    const { places } = findMarks(json)
    this.#names = new Set(places.filter(({ mark }) => this.#isShort(mark)).map(({ name }) => name))
  }

  whole(): unknown {
    return this.#map(this.#json)
  }

  /** Whether some readers lack an ability that a mark requires. */
  #isShort(mark: Mark): boolean {
    const { audience } = this.#readers
    return audience === null || !mark.every((ability) => audience.includes(ability))
  }

  #map(node: unknown): unknown {
    if (!isNode(node)) return node
    const mapped = mapSubschemas(node, (child) => this.#map(child))
    if (isNode(node.properties)) mapped['properties'] = this.#shown(node.properties, mapped)
    if (isNode(node.patternProperties)) {
      mapped['patternProperties'] = this.#shown(node.patternProperties, mapped, 'patternProperties')
    }
    if (Array.isArray(node.required)) {
      mapped['required'] = node.required.filter((name) => !this.#mayBeMissing(node, name))
    }
    for (const word of [
      'items',
      'additionalItems',
      'additionalProperties',
      'unevaluatedProperties',
    ]) {
      if (this.#isHidden(node[word])) mapped[word] = NOTHING
    }
    for (const word of ['anyOf', 'oneOf']) {
      const branches = node[word]
      if (!Array.isArray(branches) || this.#isHidden(node)) continue
      const all = mapped[word] as readonly unknown[]
      const shown = all.filter((_, index) => !this.#isHidden(branches[index]))
      mapped[word] = shown.length > 0 ? shown : [NOTHING]
    }
    return mapped
  }

  #shown(schemas: Node, mapped: Node, word = 'properties'): Node {
    const own = mapped[word] as Node
    return Object.fromEntries(
      Object.entries(own).filter(([name]) => !this.#isHidden(schemas[name])),
    )
  }

  /** Whether an object can lack a property that its schema requires. */
  #mayBeMissing({ properties }: Node, name: unknown): boolean {
    // The field is required, so only callers who are allowed to send it can make the request.
    if (this.#readers.audience === null && this.#readers.side === 'input') return false
    const own = isNode(properties) && Object.hasOwn(properties, String(name))
    return own ? this.#hasMark(properties[String(name)]) : this.#names.has(String(name))
  }

  /** Whether the values of a schema are removed for these readers. */
  #isHidden(schema: unknown, seen: Set<Node> = new Set()): boolean {
    if (!isNode(schema) || seen.has(schema) || this.#readers.audience === null) return false
    seen.add(schema)
    const mark = markOf(schema)
    if (mark !== null && this.#isShort(mark)) return true
    if (partsOfValue(schema, this.#resolve).some((part) => this.#isHidden(part, seen))) return true
    return unionsOf(schema).some((branches) => {
      const others = branches.filter((branch) => !isNull(branch))
      return others.length > 0 && others.every((branch) => this.#isHidden(branch, new Set(seen)))
    })
  }

  /** Whether a value can be missing for some readers. */
  #hasMark(schema: unknown, seen: Set<Node> = new Set()): boolean {
    if (!isNode(schema) || seen.has(schema)) return false
    seen.add(schema)
    const mark = markOf(schema)
    if (mark !== null && this.#isShort(mark)) return true
    const parts = [...partsOfValue(schema, this.#resolve), ...unionsOf(schema).flat()]
    return parts.some((part) => this.#hasMark(part, seen))
  }
}

function isNull(schema: unknown): boolean {
  return isNode(schema) && schema['type'] === 'null'
}
