import type { DescribedSchema, OpenApiSchema } from '../contracts/openapi-3-0.js'
import { firstPlaces } from './places.js'

/** The number of items that every library validates within a tenth of a second. */
const MANY_ITEMS = 100_000

/** The maximum depth to read, because a schema can contain itself. Schemas at a greater depth count as 1 byte. */
const MAX_DEPTH = 16

/**
 * Finds the lists without `maxItems` in which more than 100,000 items fit within the body limit. Returns the paths of
 * the lists, such as `items.*.tags`; the path of the body itself is empty. With a small body limit, no list can contain
 * that many items, so the result is empty.
 *
 * @param described The description of a body schema's input side.
 * @param bytes The maximum body size, in bytes.
 */
export function findUnboundedLists(
  { schema, definitions }: DescribedSchema,
  bytes: number,
): readonly string[] {
  const definitionOf = new Map(
    definitions.map((each) => [`#/components/schemas/${each.name}`, each.schema]),
  )
  const resolve = (part: OpenApiSchema) => definitionOf.get(part.$ref ?? '') ?? part
  const found = new Set<string>()
  for (const { node, path } of firstPlaces(schema, (part) => resolve(part as OpenApiSchema))) {
    const { items, maxItems } = node as OpenApiSchema
    const isOpen = items !== undefined && maxItems === undefined
    if (isOpen && bytes / (smallestBytes(items, resolve) + 1) > MANY_ITEMS) found.add(path)
  }
  return [...found]
}

type Resolve = (part: OpenApiSchema) => OpenApiSchema

/** Returns a lower bound, in characters, for the length of JSON that matches a schema. */
function smallestBytes(part: OpenApiSchema, resolve: Resolve, depth = 0): number {
  const schema = resolve(part)
  const { anyOf, oneOf, allOf, nullable } = schema
  if (depth > MAX_DEPTH) return 1
  const sizeOf = (each: OpenApiSchema) => smallestBytes(each, resolve, depth + 1)
  const alternatives = [anyOf, oneOf].map((list) => Math.min(...(list?.map(sizeOf) ?? [1])))
  const parts = allOf?.map(sizeOf) ?? []
  const size = Math.max(ofType(schema, sizeOf), ...alternatives, ...parts)
  return nullable === true ? Math.min(size, 'null'.length) : size
}

function ofType(schema: OpenApiSchema, sizeOf: (each: OpenApiSchema) => number): number {
  const { type, enum: values, minLength = 0, minItems = 0, items = {}, required = [] } = schema
  if (values !== undefined) return Math.min(...values.map((value) => lengthOf(value)))
  if (type === 'string') return minLength + 2
  if (type === 'boolean') return 'true'.length
  if (type === 'array') return 2 + minItems * (sizeOf(items) + 1)
  if (type !== 'object') return 1
  const sizes = required.map((name) => name.length + 4 + sizeOf(schema.properties?.[name] ?? {}))
  return sizes.reduce((sum, size) => sum + size, 2)
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 1
}
