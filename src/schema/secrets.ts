import type { SchemaConverter } from '../contracts/openapi.js'
import type { Schema } from '../contracts/schema.js'
import type { Node } from './dialect/conversion.js'
import { readReferences } from './dialect/references.js'
import { type FoundPlace, findPlaces } from './found-places.js'
import { jsonIfDescribed } from './json-once.js'
import { listPlaces } from './places.js'

/** The secret parts of one schema. */
export interface SecretSchema {
  /** The names of the properties that contain a secret or a list of secrets. */
  readonly names: ReadonlySet<string>
  /** Collects all secrets, as strings, from a value that was sent for this schema. */
  readonly collect: (value: unknown, found: Set<string>) => void
}

/** The maximum number of parts to search in a value. */
const MOST_PARTS = 100_000

/**
 * Finds the parts of a schema that are secret: parts with `secret: true`, which zod's `.meta({ secret: true })` sets,
 * or with the format `password`. Returns `null` if there are none, or if the library cannot describe the schema.
 */
export function findSecrets(
  schema: Schema,
  converters: Readonly<Record<string, SchemaConverter>>,
): SecretSchema | null {
  const json = jsonIfDescribed(schema, { side: 'input', converters })
  const { resolve } = readReferences(json)
  const root = findPlaces(json, resolve, isSecret)
  if (root === null) return null
  const secret = listPlaces(json, resolve).filter(({ node }) => isSecret(node))
  const names = secret.flatMap(({ holder }) => holder ?? [])
  return { names: new Set(names), collect: (value, found) => collect(value, root, found) }
}

function isSecret({ secret, format }: Node): boolean {
  return secret === true || format === 'password'
}

/** A part of a value, and its place. The place is `null` inside a secret. */
interface Part {
  readonly value: unknown
  readonly place: FoundPlace | null
}

/**
 * Collects the secrets of a value. This function is not recursive, because the value can be nested more deeply than the
 * stack allows.
 */
function collect(value: unknown, root: FoundPlace, found: Set<string>): void {
  const parts: Part[] = [{ value, place: root }]
  const seen = new Set<object>()
  for (let left = MOST_PARTS; left > 0; left--) {
    const part = parts.pop()
    if (part === undefined) return
    try {
      if (part.place === null) addLeaf(part.value, { found, seen, parts })
      else addParts(part.value, part.place, parts)
    } catch {
      // A schema can create an object whose getters throw.
    }
  }
}

function addParts(value: unknown, place: FoundPlace, parts: Part[]): void {
  if (place.isFound) return void parts.push({ value, place: null })
  if (typeof value !== 'object' || value === null) return
  const { items, properties, others } = place
  if (Array.isArray(value)) {
    if (items !== null) for (const item of value) parts.push({ value: item, place: items })
    return
  }
  for (const [name, member] of Object.entries(value)) {
    const inside = properties.get(name) ?? others
    if (inside !== null) parts.push({ value: member, place: inside })
  }
}

interface Leaves {
  readonly found: Set<string>
  readonly seen: Set<object>
  readonly parts: Part[]
}

/** Adds a value inside a secret as a string. For an object, adds its members to the parts to search. */
function addLeaf(value: unknown, { found, seen, parts }: Leaves): void {
  if (value instanceof Date) found.add(JSON.stringify(value).replaceAll('"', ''))
  else if (typeof value === 'object' && value !== null) {
    // The bytes of a buffer are not collected, because such small numbers occur in every log.
    if (seen.has(value) || ArrayBuffer.isView(value)) return
    seen.add(value)
    for (const member of Object.values(value)) parts.push({ value: member, place: null })
  } else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    if (String(value) !== '') found.add(String(value))
  }
}
