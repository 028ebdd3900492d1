import type { DescribedSchema, OpenApiSchema } from '../contracts/openapi-3-0.js'

/** The number of items that any library validates within a tenth of a second. */
const MANY_ITEMS = 100_000

/** Deeper levels count as 1 byte; a schema may contain itself. */
const MAX_DEPTH = 16

/**
 * Finds the lists without `maxItems` that can hold more than 100,000 items within the limit of the body.
 * Returns their paths, such as `items.*.tags`; the path of the body itself is empty. A small limit allows no
 * such list, and the result is empty.
 *
 * @param described The description of the input side of the schema of a body.
 * @param bytes The largest allowed body, in bytes.
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
  const seen = new Set<OpenApiSchema>()
  function visit(part: OpenApiSchema, path: readonly string[]): void {
    const resolved = resolve(part)
    if (seen.has(resolved)) return
    seen.add(resolved)
    const { items, maxItems, properties = {}, additionalProperties: others } = resolved
    if (items !== undefined) {
      const room = bytes / (smallestBytes(items, resolve) + 1)
      if (maxItems === undefined && room > MANY_ITEMS) found.add(path.join('.'))
      visit(items, [...path, '*'])
    }
    for (const [name, property] of Object.entries(properties)) visit(property, [...path, name])
    if (typeof others === 'object') visit(others, [...path, '*'])
    for (const each of partsOf(resolved)) visit(each, path)
  }
  visit(schema, [])
  return [...found]
}

function partsOf({ allOf = [], anyOf = [], oneOf = [] }: OpenApiSchema): readonly OpenApiSchema[] {
  return [...allOf, ...anyOf, ...oneOf]
}

type Resolve = (part: OpenApiSchema) => OpenApiSchema

/** A lower bound for the length of the JSON that matches a schema, in characters. */
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
