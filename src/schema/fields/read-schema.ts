import type { SchemaConverters } from '../../contracts/openapi.js'
import type { Schema } from '../../contracts/schema.js'
import { LOSS_MARK, type Node } from '../dialect/conversion.js'
import { type References, readReferences } from '../dialect/references.js'
import { isConstant, jsonOnce } from '../json-once.js'
import { firstPlaces } from '../places.js'

/** A place whose schema does not describe the value, although the author probably intended it to. */
export interface OpenPlace {
  /** The path to the place: property names, with `*` for items; empty for the whole schema. */
  readonly path: string
  readonly cause: string
}

/** A response schema as JSON Schema. */
export interface ReadSchema {
  readonly json: unknown
  readonly resolve: References['resolve']
  readonly openPlaces: readonly OpenPlace[]
}

/** Library schemas never change, so all applications in a process share the results. */
const known = new WeakMap<object, ReadSchema>()

/**
 * Converts a response schema to JSON Schema. Never throws: a schema that cannot be converted is reported as an open
 * place.
 */
export function readSchema(schema: Schema, converters: SchemaConverters): ReadSchema {
  if (!isConstant(schema, { converters })) return read(schema, converters)
  const found = known.get(schema) ?? read(schema, converters)
  known.set(schema, found)
  return found
}

function read(schema: Schema, converters: SchemaConverters): ReadSchema {
  try {
    const json = jsonOnce(schema, { side: 'output', converters })
    if (json instanceof Promise) throw new Error('its description is a promise')
    const { resolve } = readReferences(json)
    return { json, resolve, openPlaces: findOpenPlaces(json, resolve) }
  } catch (error) {
    // `String(error)` is not used, because code can throw any value, and some values cannot be converted to a string.
    const reason =
      error instanceof Error ? error.message : `it threw a value of type ${typeof error}`
    const cause = `The schema cannot be described (${reason}).`
    return { json: true, resolve: () => undefined, openPlaces: [{ path: '', cause }] }
  }
}

function findOpenPlaces(root: unknown, resolve: References['resolve']): OpenPlace[] {
  const found = new Map<string, OpenPlace>()
  for (const { node, path } of firstPlaces(root, resolve)) {
    const cause = causeOf(node, resolve)
    if (cause !== null) found.set(path, { path, cause })
  }
  return [...found.values()]
}

function causeOf(node: Node, resolve: References['resolve']): string | null {
  const { $ref, $dynamicRef = node['$recursiveRef'] } = node
  const mark = node[LOSS_MARK]
  if (typeof mark === 'string' && node['type'] === undefined) return mark
  if ($dynamicRef !== undefined) {
    return `The dynamic reference ${String($dynamicRef)} cannot be followed.`
  }
  if ($ref === undefined || resolve(node) !== undefined) return null
  return `The reference ${String($ref)} cannot be resolved.`
}
