import type { DescribedSchema, OpenApiSchema } from '../contracts/openapi.js'

/** Where a value may hold dates, by what its schema says. */
export interface DatePlaces {
  /** Whether the value itself may be one. */
  readonly isDate: boolean
  /** By name; only of properties that may hold any. */
  readonly properties: ReadonlyMap<string, DatePlaces>
  /** Of properties without a name; `null` when they hold none. */
  readonly others: DatePlaces | null
  /** Of an array; `null` when they hold none. */
  readonly items: DatePlaces | null
}

type Definitions = ReadonlyMap<string, OpenApiSchema>

const COMPONENTS = '#/components/schemas/'

/**
 * Finds every place that is a `date-time` in some alternative of a schema; `null` when there is none. A schema that
 * contains itself is followed once around: data that goes around for ever is for `JSON.stringify` to refuse.
 */
export function findDatePlaces({ schema, definitions }: DescribedSchema): DatePlaces | null {
  return placesOf(schema, new Map(definitions.map((each) => [each.name, each.schema])))
}

/** Places of the property of an object. */
export function within(name: string, places: DatePlaces): DatePlaces {
  return { ...NONE, properties: new Map([[name, places]]) }
}

/** Places of one or the other. */
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
