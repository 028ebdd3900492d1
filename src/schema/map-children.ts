import type { OpenApi30Schema, OpenApiSchema } from '../contracts/openapi.js'
import { setOwn } from './set-own.js'

/** The keywords with schemas: one, a list, or one for each name. */
type Kind = 'one' | 'list' | 'names'

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ...words('one', 'items not additionalProperties contains if then else propertyNames'),
  ...words('one', 'contentSchema unevaluatedItems unevaluatedProperties'),
  ...words('list', 'allOf anyOf oneOf prefixItems'),
  ...words('names', 'properties patternProperties dependentSchemas'),
])

/** The keywords whose schemas describe members of the value, and not the value itself. */
const OF_MEMBERS = new Set(
  'items additionalProperties contains prefixItems patternProperties unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
)

function words(kind: Kind, keywords: string): [string, Kind][] {
  return keywords.split(' ').map((keyword) => [keyword, kind])
}

/** The place of a schema in the one around it. */
interface ChildPlace {
  readonly keyword: string
  /**
   * The name of the property that has the schema; `*` for items and additional properties; empty for a part of the
   * parent (`allOf`, `anyOf`, `oneOf`, `not`).
   */
  readonly name: string
}

/**
 * Copies a schema and replaces each direct child schema with the result of `change`. Values (`enum`,
 * `example`, …) stay.
 */
export function mapChildren<S extends OpenApiSchema | OpenApi30Schema>(
  schema: S,
  change: (schema: S, name: string) => S,
): S {
  // The children of a schema have its type, and so do the schemas that replace them.
  return mapSchemas(schema, (child, { name }) => change(child as S, name)) as S
}

/** Like {@link mapChildren}, for a change to data of another type. */
export function mapSchemas(
  schema: OpenApiSchema,
  change: (schema: OpenApiSchema, place: ChildPlace) => unknown,
): Record<string, unknown> {
  const copy: Record<string, unknown> = { ...schema }
  for (const keyword in copy) {
    const kind = KINDS.get(keyword)
    const value = copy[keyword]
    if (kind === undefined || typeof value !== 'object') continue
    const place = { keyword, name: OF_MEMBERS.has(keyword) ? '*' : '' }
    // The keyword decides about the type of its value.
    if (kind === 'one') copy[keyword] = change(value as OpenApiSchema, place)
    else if (kind === 'list') {
      copy[keyword] = (value as readonly OpenApiSchema[]).map((child) => change(child, place))
    } else copy[keyword] = mapNames(value as Named, place, change)
  }
  return copy
}

type Named = Readonly<Record<string, OpenApiSchema>>

function mapNames(
  schemas: Named,
  place: ChildPlace,
  change: (schema: OpenApiSchema, place: ChildPlace) => unknown,
): Record<string, unknown> {
  const isProperties = place.keyword === 'properties'
  const changed: Record<string, unknown> = {}
  for (const name of Object.keys(schemas)) {
    const own = isProperties ? { ...place, name } : place
    setOwn(changed, name, change(schemas[name] as OpenApiSchema, own))
  }
  return changed
}

/**
 * Whether `is` returns true for a schema at any depth below this one. It copies nothing: the callers use it
 * to skip {@link mapChildren} for the many schemas that need no change.
 */
export function someBelow(schema: OpenApiSchema, is: Question): boolean {
  for (const key in schema) {
    const kind = KINDS.get(key)
    if (kind === undefined) continue
    // As in {@link mapChildren}: the keyword decides about the type of its value.
    const value = schema[key as 'not' | 'allOf' | 'properties'] as unknown
    if (typeof value !== 'object') continue
    if (kind === 'one') {
      if (isOrHas(value as OpenApiSchema, is)) return true
    } else {
      for (const each of Object.values(value as Named)) if (isOrHas(each, is)) return true
    }
  }
  return false
}

type Question = (schema: OpenApiSchema) => boolean

function isOrHas(schema: OpenApiSchema, is: Question): boolean {
  return is(schema) || someBelow(schema, is)
}
