import type { OpenApiSchema } from '../contracts/openapi.js'
import { mapChildren } from '../schema/keywords.js'
import { COMPONENT } from './map-schema.js'

/**
 * Replaces a schema that is equal to a component by a reference to that component. Libraries that inline
 * nested schemas would otherwise repeat `User` in every place. Only objects with properties and enums with
 * several values are compared; smaller schemas are often equal by chance.
 */
export function createReuse(
  components: ReadonlyMap<string, OpenApiSchema>,
): (schema: OpenApiSchema) => OpenApiSchema {
  const byText = new Map<string, string>()
  const outlines = new Set<string>()
  for (const [name, schema] of components) {
    if (!isTelling(schema)) continue
    const text = textOf(schema)
    if (!byText.has(text)) byText.set(text, name)
    outlines.add(outlineOf(schema))
  }
  if (byText.size === 0) return (schema) => schema
  const find = (schema: OpenApiSchema): string | undefined =>
    outlines.has(outlineOf(schema)) ? byText.get(textOf(schema)) : undefined
  return function reuse(schema): OpenApiSchema {
    const name = isTelling(schema) ? find(schema) : undefined
    return name === undefined
      ? mapChildren(schema, (child) => reuse(child))
      : { $ref: COMPONENT + name }
  }
}

function isTelling({ properties, enum: values }: OpenApiSchema): boolean {
  return Object.keys(properties ?? {}).length > 0 || (values?.length ?? 0) > 1
}

/** A cheap first comparison: equal for equal schemas, and different for nearly all others. */
function outlineOf({ properties = {}, enum: values = [] }: OpenApiSchema): string {
  return `${Object.keys(properties).sort().join()} ${values.length}`
}

const texts = new WeakMap<OpenApiSchema, string>()

/**
 * Equal for schemas with the same meaning: the order of keywords, of properties and of `required` does not
 * count.
 */
function textOf(schema: OpenApiSchema): string {
  let text = texts.get(schema)
  if (text === undefined) {
    text = JSON.stringify(schema, sorted)
    texts.set(schema, text)
  }
  return text
}

function sorted(key: string, value: unknown): unknown {
  if (key === 'required' && Array.isArray(value)) return [...value].sort()
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
