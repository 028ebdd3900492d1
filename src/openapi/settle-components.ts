import type { OpenApiSchema, SchemaSide } from '../contracts/openapi.js'
import { mapChildren } from '../schema/keywords.js'
import { COMPONENT, mapReferences, referencesOf } from './map-schema.js'

/**
 * Creates the function that replaces a schema with a reference to an equal component. Otherwise, with libraries that
 * inline nested schemas, `User` would be repeated in every place. Only objects with properties and enums with several
 * values are compared; smaller schemas are often equal by chance.
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

/**
 * Returns a key for a fast first comparison: equal schemas have the same key, and nearly all other schemas have
 * different keys.
 */
function outlineOf({ properties = {}, enum: values = [] }: OpenApiSchema): string {
  return `${Object.keys(properties).sort().join()} ${values.length}`
}

const texts = new WeakMap<OpenApiSchema, string>()

/**
 * Returns a string that is the same for schemas with the same meaning. The order of keywords, of properties and of
 * `required` is ignored.
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

/** A definition, as it applies to requests or to responses. Its references are IDs (see {@link idOf}). */
export interface Definition {
  readonly name: string
  readonly side: SchemaSide
  readonly isNamed: boolean
  readonly schema: OpenApiSchema
}

/** Returns the ID of a definition: its name and its side. The two sides of the same name can differ. */
export function idOf(side: SchemaSide, name: string): string {
  return `${side}:${name}`
}

/**
 * Returns the final name of every definition, by ID. If the request side and the response side of a name are equal,
 * both use the name. Otherwise, the response keeps the name, because readers see it first, and the request's name
 * becomes `UserInput`.
 */
export function settleNames(
  definitions: ReadonlyMap<string, Definition>,
): ReadonlyMap<string, string> {
  const split = splitNames(definitions)
  const final = new Map<string, string>()
  const taken = new Set([...definitions.values()].map(({ name }) => name))
  for (const [id, { name, side }] of definitions) {
    const isInput = side === 'input' && split.has(name)
    final.set(id, isInput ? freeName(`${name}Input`, taken) : name)
  }
  return final
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? freeName(`${name}_`, taken) : name
}

/**
 * Returns the names whose request and response sides differ, either directly or in a definition to which they refer.
 */
function splitNames(definitions: ReadonlyMap<string, Definition>): ReadonlySet<string> {
  const nameOf = (id: string) => definitions.get(id)?.name ?? id
  const text = ({ schema }: Definition) => JSON.stringify(mapReferences(schema, nameOf))
  const pairs = [...definitions.values()].flatMap((input) => {
    const output = definitions.get(idOf('output', input.name))
    return input.side === 'input' && output !== undefined ? [{ input, output }] : []
  })
  const split = new Set(
    pairs
      .filter(({ input, output }) => text(input) !== text(output))
      .map(({ input }) => input.name),
  )
  // A definition that refers to a split name is also split. The loop repeats until no more names are added.
  for (let size = -1; size !== split.size; ) {
    size = split.size
    for (const { input } of pairs) {
      if ([...referencesOf(input.schema)].some((id) => split.has(nameOf(id)))) split.add(input.name)
    }
  }
  return split
}
