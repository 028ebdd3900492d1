import type { DescribedSchema, OpenApiSchema } from '../contracts/openapi-3-0.js'

/** The places in a value that may hold dates, according to its schema. */
export interface DatePlaces {
  /** Whether the value itself may be a date. */
  readonly isDate: boolean
  /** Places in each property, by name. Has only properties that may hold dates. */
  readonly properties: ReadonlyMap<string, DatePlaces>
  /** Places in the values of `additionalProperties`; `null` when they hold no dates. */
  readonly others: DatePlaces | null
  /** Places in the items of an array; `null` when they hold no dates. */
  readonly items: DatePlaces | null
}

type Definitions = ReadonlyMap<string, OpenApiSchema>

const COMPONENTS = '#/components/schemas/'

/**
 * Finds every place that is a `date-time` in at least one alternative of a schema; `null` when there is none.
 * In a schema that contains itself, each definition is visited once per path, so dates that are nested deeper
 * in such a value are not found here. `JSON.stringify` writes them.
 */
export function findDatePlaces({ schema, definitions }: DescribedSchema): DatePlaces | null {
  return placesOf(schema, new Map(definitions.map((each) => [each.name, each.schema])))
}

/** The places of an object whose only property with dates is `name`. */
export function within(name: string, places: DatePlaces): DatePlaces {
  return { ...NONE, properties: new Map([[name, places]]) }
}

/** The places of a value that matches one schema or the other. */
export function either(a: DatePlaces | null, b: DatePlaces | null): DatePlaces | null {
  if (a === null || b === null) return a ?? b
  const names = new Set([...a.properties.keys(), ...b.properties.keys()])
  return {
    isDate: a.isDate || b.isDate,
    properties: propertiesOf(names, (name) =>
      either(a.properties.get(name) ?? null, b.properties.get(name) ?? null),
    ),
    others: either(a.others, b.others),
    items: either(a.items, b.items),
  }
}

const NONE: DatePlaces = { isDate: false, properties: new Map(), others: null, items: null }

function placesOf(
  schema: OpenApiSchema,
  definitions: Definitions,
  open: ReadonlySet<string> = new Set(),
): DatePlaces | null {
  const { $ref, properties = {}, additionalProperties, items } = schema
  if ($ref !== undefined) return placesOfReference($ref, definitions, open)
  const search = (part: OpenApiSchema | boolean | undefined) =>
    typeof part === 'object' ? placesOf(part, definitions, open) : null
  const own: DatePlaces = {
    isDate: schema.format === 'date-time',
    properties: propertiesOf(Object.keys(properties), (name) => search(properties[name])),
    others: search(additionalProperties),
    items: search(items),
  }
  const isEmpty =
    !own.isDate && own.properties.size === 0 && own.others === null && own.items === null
  const parts = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) => list ?? [])
  return parts.map(search).reduce(either, isEmpty ? null : own)
}

function placesOfReference(
  reference: string,
  definitions: Definitions,
  open: ReadonlySet<string>,
): DatePlaces | null {
  const name = reference.slice(COMPONENTS.length)
  const schema = definitions.get(name)
  if (schema === undefined || open.has(name)) return null
  return placesOf(schema, definitions, new Set([...open, name]))
}

function propertiesOf(
  names: Iterable<string>,
  find: (name: string) => DatePlaces | null,
): Map<string, DatePlaces> {
  const found = new Map<string, DatePlaces>()
  for (const name of names) {
    const places = find(name)
    if (places !== null) found.set(name, places)
  }
  return found
}
