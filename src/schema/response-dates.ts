import { types } from 'node:util'
import type { SchemaConverters } from '../contracts/openapi.js'
import type { ApiResponseOptions } from '../contracts/operation.js'
import type { RouteModel } from '../contracts/route-model.js'
import { dateText } from './date-text.js'
import { isNode, type Node, RESOURCE_MARK } from './dialect/conversion.js'
import { readReferences } from './dialect/references.js'
import { type FoundPlace, findPlaces } from './found-places.js'
import { jsonIfDescribed } from './json-once.js'
import { isSentWithoutEnvelope, type Wire } from './response-shape.js'

/**
 * Compiles one function that converts the dates in all success responses of an operation; `null` when no response
 * contains dates.
 *
 * @param converters Converters for libraries that cannot describe their schemas.
 */
export function compileResponseDates(
  route: Wire & Pick<RouteModel, 'operation'>,
  converters?: SchemaConverters,
): WriteDates | null {
  const { responses } = route.operation
  const places = findDates({
    anyOf: responses.flatMap((each) => bodiesOf(each, route, converters)),
  })
  return places && createDateWriter(places)
}

/**
 * Finds every place that is a `date-time` in at least one alternative of a schema. Returns `null` if there is no such
 * place.
 */
export function findDates(json: unknown): FoundPlace | null {
  return findPlaces(json, readReferences(json).resolve, ({ format }) => format === 'date-time')
}

/** Returns the schemas of a response's possible bodies. */
function bodiesOf(
  response: ApiResponseOptions,
  wire: Wire,
  converters: SchemaConverters | undefined,
): Node[] {
  const { status, schema } = response
  if (status >= 400 || schema === undefined) return []
  const json = jsonIfDescribed(schema, { side: 'output', converters })
  if (!isNode(json)) return []
  const body = asResource(json)
  if (isSentWithoutEnvelope(response, wire)) return [body]
  const enveloped = { properties: { data: body } }
  // A schema with a `data` property can describe the whole envelope, or only its data.
  return findDates(body)?.properties.has('data') ? [enveloped, body] : [enveloped]
}

/** Returns a schema whose references stay valid when the schema is inside another schema. */
function asResource(json: Node): Node {
  return typeof json.$id === 'string' ? json : { ...json, [RESOURCE_MARK]: true }
}

/**
 * Replaces the dates in a value with their JSON strings. Returns the value itself if nothing was replaced, otherwise a
 * copy of the objects and lists around the dates. The value itself never changes. `JSON.stringify` returns the same
 * string for the value and its copy. It also converts the dates that this function misses, but more slowly.
 */
export type WriteDates = (value: unknown) => unknown

type Properties = Record<string, unknown>

interface PropertyWriter {
  readonly name: string
  readonly write: WriteDates
}

/**
 * Creates a function that converts dates only in the given places. A place that contains itself is entered only once,
 * so this function does not find dates that are nested more deeply.
 *
 * @param around The places that contain this one.
 */
export function createDateWriter(
  place: FoundPlace,
  around: ReadonlySet<FoundPlace> = new Set(),
): WriteDates {
  const { isFound: isDate, properties } = place
  const entered = new Set([...around, place])
  const within = (inside: FoundPlace | null) =>
    inside === null || entered.has(inside) ? null : createDateWriter(inside, entered)
  const writeItems = within(place.items)
  const writeOthers = within(place.others)
  const writers = [...properties].flatMap(([name, inside]): PropertyWriter[] => {
    const write = within(inside)
    return write === null ? [] : [{ name, write }]
  })
  return function writeDates(value) {
    if (typeof value !== 'object' || value === null) return value
    if (value instanceof Date) return isDate ? dateText(value) : value
    const object = value as Properties
    // `JSON.stringify` writes the result of `toJSON` instead of these properties.
    if (typeof object['toJSON'] === 'function') return object
    if (Array.isArray(object)) return writeItems === null ? object : inItems(object, writeItems)
    let result = object
    for (const writer of writers) result = inProperty(object, result, writer)
    if (writeOthers === null) return result
    for (const name of Object.keys(object)) {
      if (!properties.has(name)) result = inProperty(object, result, { name, write: writeOthers })
    }
    return result
  }
}

/** @param result The object itself, or its copy if an earlier property was replaced. */
function inProperty(
  object: Properties,
  result: Properties,
  { name, write }: PropertyWriter,
): Properties {
  const value = object[name]
  const written = write(value)
  if (written === value) return result
  // `JSON.stringify` writes the primitive value of a boxed object, but not the object's properties.
  if (types.isBoxedPrimitive(object)) return object
  const copy = result === object ? { ...object } : result
  // JSON does not include inherited properties.
  if (Object.hasOwn(copy, name)) copy[name] = written
  return copy
}

function inItems(list: readonly unknown[], write: WriteDates): readonly unknown[] {
  let copy: unknown[] | null = null
  for (let i = 0; i < list.length; i++) {
    const item = list[i]
    const written = write(item)
    // The items of a list are usually alike. If the first item has no date to replace, the others are not checked,
    // because checking all items took half as long as `JSON.stringify` itself.
    if (i === 0 && written === item) return list
    if (written === item) continue
    copy ??= copyOf(list)
    copy[i] = written
  }
  return copy ?? list
}

/**
 * Copies a list by index, as `JSON.stringify` reads it. A subclass of `Array` can override its methods and its
 * iterator.
 */
function copyOf(list: readonly unknown[]): unknown[] {
  const copy = new Array<unknown>(list.length)
  for (let i = 0; i < list.length; i++) copy[i] = list[i]
  return copy
}
