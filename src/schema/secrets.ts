import type { SchemaConverter } from '../contracts/openapi.js'
import type { Schema } from '../contracts/schema.js'
import { isNode, type Node, RESOURCE_MARK } from './dialect/conversion.js'
import { follow } from './dialect/references.js'
import { toJsonSchema } from './to-json-schema.js'

/** The secret parts of one schema. */
export interface SecretSchema {
  /** The names of the properties whose values are secret, or are lists of secrets. */
  readonly names: ReadonlySet<string>
  /** Adds the texts of all secret values in a value that was sent for the schema. */
  readonly collect: (value: unknown, found: Set<string>) => void
}

/** A part of a JSON Schema, and the schema in which its references begin. */
interface SchemaPart {
  readonly node: Node
  readonly root: Node
}

/** The most parts of a value that are searched. */
const MOST_PARTS = 100_000

/**
 * Finds the parts of a schema that are secret: parts with `secret: true`, which `.meta({ secret: true })` of zod
 * writes, or with the format `password`. Returns `null` if there are none, or if the library cannot describe the
 * schema.
 */
export function findSecrets(
  schema: Schema,
  converters: Readonly<Record<string, SchemaConverter>>,
): SecretSchema | null {
  const root = describe(schema, converters)
  if (!isNode(root)) return null
  const names = new Set<string>()
  const isFound = collectNames({ node: root, root }, names, new Set())
  if (!isFound) return null
  const collector = new Collector({ node: root, root })
  return { names, collect: (value, found) => collector.collect(value, found) }
}

function describe(schema: Schema, converters: Readonly<Record<string, SchemaConverter>>): unknown {
  try {
    return toJsonSchema(schema, { side: 'input', converters })
  } catch {
    return undefined
  }
}

function isSecret({ secret, format }: Node): boolean {
  return secret === true || format === 'password'
}

const ALTERNATIVES = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else'] as const
const ITEMS = ['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'] as const
const OTHERS = ['additionalProperties', 'unevaluatedProperties'] as const

/** Returns the schemas in some keywords of a schema, each of which may hold a list. */
function childrenOf({ node, root }: SchemaPart, keywords: readonly string[]): SchemaPart[] {
  return keywords.flatMap((keyword) => {
    const value = node[keyword]
    return (Array.isArray(value) ? value : [value]).flatMap((child) => placeOf(child, root) ?? [])
  })
}

function placeOf(node: unknown, root: Node): SchemaPart | undefined {
  if (!isNode(node)) return undefined
  return { node, root: node[RESOURCE_MARK] === true ? node : root }
}

/** Returns a schema and all schemas that describe the same value. */
function samePlaces(first: readonly SchemaPart[]): SchemaPart[] {
  const places = new Map(first.map((place) => [place.node, place]))
  for (const place of places.values()) {
    const { $ref } = place.node
    const target = typeof $ref === 'string' ? resolve($ref, place.root) : undefined
    for (const each of [...(target ? [target] : []), ...childrenOf(place, ALTERNATIVES)]) {
      if (!places.has(each.node)) places.set(each.node, each)
    }
  }
  return [...places.values()]
}

/** Follows a JSON Pointer (RFC 6901), or the name of a definition, as TypeBox writes it. */
function resolve(reference: string, root: Node): SchemaPart | undefined {
  if (!reference.startsWith('#'))
    return placeOf((root['$defs'] as Node | undefined)?.[reference], root)
  return placeOf(follow(root, reference.slice(1)), root)
}

function propertiesOf({ node, root }: SchemaPart): [name: string, place: SchemaPart][] {
  const { properties } = node
  if (!isNode(properties)) return []
  return Object.entries(properties).flatMap(([name, child]) => {
    const place = placeOf(child, root)
    return place === undefined ? [] : [[name, place] as [string, SchemaPart]]
  })
}

/** The schemas of properties without a name, and of the patterns of names. */
function otherProperties(place: SchemaPart): SchemaPart[] {
  const { patternProperties } = place.node
  const patterns = isNode(patternProperties) ? Object.values(patternProperties) : []
  return [
    ...childrenOf(place, OTHERS),
    ...patterns.flatMap((child) => placeOf(child, place.root) ?? []),
  ]
}

/** Adds the names of secret properties. Returns whether anything in the schema is secret. */
function collectNames(place: SchemaPart, names: Set<string>, seen: Set<Node>): boolean {
  let isFound = false
  for (const same of samePlaces([place])) {
    if (isSecret(same.node)) isFound = true
    if (seen.has(same.node)) continue
    seen.add(same.node)
    for (const [name, child] of propertiesOf(same)) {
      if (holdsSecrets(child, new Set())) names.add(name)
      if (collectNames(child, names, seen)) isFound = true
    }
    for (const child of [...childrenOf(same, ITEMS), ...otherProperties(same)]) {
      if (collectNames(child, names, seen)) isFound = true
    }
  }
  return isFound
}

/** Whether a value is secret, or a list or a record of secrets. */
function holdsSecrets(place: SchemaPart, seen: Set<Node>): boolean {
  return samePlaces([place]).some((same) => {
    if (isSecret(same.node)) return true
    if (seen.has(same.node)) return false
    seen.add(same.node)
    const members = [...childrenOf(same, ITEMS), ...otherProperties(same)]
    return members.some((member) => holdsSecrets(member, seen))
  })
}

/** A part of a value, and the facts of its schemas; `null` inside of a secret. */
interface Part {
  readonly value: unknown
  readonly spot: Spot | null
}

/** The facts of all schemas of one part about its members. */
interface Spot {
  readonly isSecret: boolean
  /** The schemas of items, of properties by their names, and of other properties; `null` where no secret can be. */
  readonly items: Members | null
  readonly named: ReadonlyMap<string, Members | null>
  readonly others: Members | null
}

/** Schemas that lead to secrets. Read when a value first has such a member: schemas may contain themselves. */
type Members = () => Spot

/** Collects the secrets of values. Values may be deeper than the stack allows, so no function calls itself for them. */
class Collector {
  readonly #root: Spot
  readonly #leads = new Map<Node, boolean>()
  /** Each spot once, by its schemas: a value may have any number of parts. */
  readonly #spots = new Map<string, Members>()
  readonly #ids = new Map<Node, number>()

  constructor(root: SchemaPart) {
    this.#root = this.#spotOf([root])
  }

  collect(value: unknown, found: Set<string>): void {
    const parts: Part[] = [{ value, spot: this.#root }]
    const seen = new Set<object>()
    for (let left = MOST_PARTS; left > 0; left--) {
      const part = parts.pop()
      if (part === undefined) return
      try {
        if (part.spot === null) addLeaf(part.value, { found, seen, parts })
        else addParts(part.value, part.spot, parts)
      } catch {
        // A schema has made an object whose getters throw.
      }
    }
  }

  #spotOf(places: readonly SchemaPart[]): Spot {
    const all = samePlaces(places)
    const others = this.#leading(all.flatMap(otherProperties))
    const names = new Set(all.flatMap((place) => propertiesOf(place).map(([name]) => name)))
    const named = Array.from(names, (name) => {
      const own = this.#leading(all.flatMap((place) => childOf(place, name) ?? []))
      return [name, this.#members([...own, ...others])] as const
    })
    return {
      isSecret: all.some(({ node }) => isSecret(node)),
      items: this.#members(this.#leading(all.flatMap((place) => childrenOf(place, ITEMS)))),
      named: new Map(named),
      others: this.#members(others),
    }
  }

  #members(places: readonly SchemaPart[]): Members | null {
    if (places.length === 0) return null
    const key = places.map(({ node, root }) => `${this.#idOf(node)}/${this.#idOf(root)}`).join()
    const known = this.#spots.get(key)
    if (known !== undefined) return known
    let spot: Spot | undefined
    const members = () => {
      spot ??= this.#spotOf(places)
      return spot
    }
    this.#spots.set(key, members)
    return members
  }

  #idOf(node: Node): number {
    const id = this.#ids.get(node) ?? this.#ids.size
    this.#ids.set(node, id)
    return id
  }

  /** Returns the schemas that have secrets. */
  #leading(places: readonly SchemaPart[]): SchemaPart[] {
    return places.filter((place) => {
      const known = this.#leads.get(place.node)
      if (known !== undefined) return known
      const leads = collectNames(place, new Set(), new Set())
      this.#leads.set(place.node, leads)
      return leads
    })
  }
}

function addParts(value: unknown, { isSecret, items, named, others }: Spot, parts: Part[]): void {
  if (isSecret) return void parts.push({ value, spot: null })
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    const spot = items?.()
    if (spot !== undefined) for (const item of value) parts.push({ value: item, spot })
    return
  }
  for (const [name, member] of Object.entries(value)) {
    const known = named.get(name)
    const spot = (known === undefined ? others : known)?.()
    if (spot !== undefined) parts.push({ value: member, spot })
  }
}

function childOf({ node, root }: SchemaPart, name: string): SchemaPart | undefined {
  const { properties } = node
  return isNode(properties) && Object.hasOwn(properties, name)
    ? placeOf(properties[name], root)
    : undefined
}

interface Leaves {
  readonly found: Set<string>
  readonly seen: Set<object>
  readonly parts: Part[]
}

/** Adds the text of a value inside of a secret, or its members. */
function addLeaf(value: unknown, { found, seen, parts }: Leaves): void {
  if (value instanceof Date) found.add(JSON.stringify(value).replaceAll('"', ''))
  else if (typeof value === 'object' && value !== null) {
    // The bytes of a buffer are numbers that are in every log.
    if (seen.has(value) || ArrayBuffer.isView(value)) return
    seen.add(value)
    for (const member of Object.values(value)) parts.push({ value: member, spot: null })
  } else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    if (String(value) !== '') found.add(String(value))
  }
}
