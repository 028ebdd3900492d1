import type { OpenApi30Schema, OpenApiSchema } from '../contracts/openapi.js'
import { isNode, type Node, type TypeName } from './dialect/conversion.js'
import { setOwn } from './set-own.js'

/** The relation between the schemas of a keyword and the value that the surrounding schema describes. */
export type Relation =
  /** The schemas describe the same value. */
  | 'part'
  /** One of the schemas describes the same value. */
  | 'choice'
  /** The schemas test the value, or describe something other than a part of the value. */
  | 'condition'
  /** Each schema describes the property whose name is the schema's key. */
  | 'property'
  /** The schemas describe the properties without a schema of their own. */
  | 'rest'
  /** The schemas describe items. In a list of schemas, each one describes the item at its position. */
  | 'item'
  /** The schemas apply only where a reference points to them. */
  | 'definition'

/** The relations of schemas that describe members of the value: an item, or a property. */
export const OF_MEMBERS: ReadonlySet<Relation> = new Set<Relation>(['property', 'rest', 'item'])

interface Keyword {
  readonly relation: Relation
  /** Whether the keyword's value is an object of schemas by name. Otherwise, it is a schema or a list of schemas. */
  readonly isByName: boolean
  /** Whether OpenAPI 3.0 can express the keyword. */
  readonly isKnownTo30: boolean
}

/**
 * The keywords that contain schemas. A property can have the name of a keyword, so code must use this table to find
 * schemas, and must not search for names.
 */
const APPLICATORS: ReadonlyMap<string, Keyword> = new Map([
  ...row('part', 'allOf'),
  ...row('part', 'then else', { isKnownTo30: false }),
  ...row('part', 'dependencies dependentSchemas', { isByName: true, isKnownTo30: false }),
  ...row('choice', 'anyOf oneOf'),
  ...row('condition', 'not propertyNames'),
  ...row('condition', 'if contains contentSchema', { isKnownTo30: false }),
  ...row('property', 'properties', { isByName: true }),
  ...row('rest', 'patternProperties', { isByName: true }),
  ...row('rest', 'additionalProperties unevaluatedProperties'),
  ...row('item', 'items prefixItems additionalItems unevaluatedItems'),
  ...row('definition', '$defs definitions', { isByName: true, isKnownTo30: false }),
])

function row(
  relation: Relation,
  words: string,
  { isByName = false, isKnownTo30 = true }: Partial<Keyword> = {},
): [string, Keyword][] {
  return words.split(' ').map((word) => [word, { relation, isByName, isKnownTo30 }])
}

/** Keywords that apply to only one type. */
const OF_TYPE: Readonly<Record<string, ReadonlySet<string>>> = {
  string: words(
    'minLength maxLength pattern format contentEncoding contentMediaType contentSchema',
  ),
  number: words('minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'),
  array: words(
    `items prefixItems additionalItems minItems maxItems uniqueItems contains minContains maxContains
    unevaluatedItems`,
  ),
  object: words(
    `properties required additionalProperties patternProperties propertyNames minProperties maxProperties
    dependencies dependentRequired dependentSchemas unevaluatedProperties`,
  ),
}

/** All other keywords. TypeBox marks its schemas with `~kind`. */
const OTHERS = words(
  `$anchor $comment $dynamicRef $id $ref $schema const default deprecated description enum examples nullable
  readOnly title type writeOnly ~kind`,
)

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/))
}

/** Whether a name is a keyword of JSON Schema. */
export function isKeyword(name: string): boolean {
  const isOfType = Object.values(OF_TYPE).some((known) => known.has(name))
  return isOfType || APPLICATORS.has(name) || OTHERS.has(name)
}

/** Whether a schema has a keyword that applies to values of this type. */
export function hasKeywordsFor(node: Node, type: TypeName): boolean {
  return Object.keys(node).some((key) => OF_TYPE[type]?.has(key) && node[key] !== undefined)
}

/** A schema that is directly inside another schema. */
export interface Subschema {
  readonly keyword: string
  readonly relation: Relation
  /** The name or position of the schema in the keyword; `null` if the keyword contains only this schema. */
  readonly step: string | null
  readonly schema: unknown
}

/** Returns the schemas that are directly inside a schema. */
export function subschemasOf(node: Node): Subschema[] {
  const found: Subschema[] = []
  for (const keyword in node) {
    const known = APPLICATORS.get(keyword)
    if (known === undefined) continue
    const value = node[keyword]
    const { relation, isByName } = known
    if (isByName ? isNode(value) : Array.isArray(value)) {
      for (const [step, schema] of Object.entries(value as object)) {
        // In draft 07, `dependencies` can contain lists of names as well as schemas.
        if (!isByName || !Array.isArray(schema)) found.push({ keyword, relation, step, schema })
      }
    } else if (!isByName) found.push({ keyword, relation, step: null, schema: value })
  }
  return found
}

/**
 * Returns the inner schemas of the keywords that OpenAPI 3.0 can express. Definitions are excluded, because they exist
 * only for references.
 */
export function lowerableIn(node: Node): Subschema[] {
  return subschemasOf(node).filter(({ keyword }) => APPLICATORS.get(keyword)?.isKnownTo30)
}

/** Copies a schema, and replaces each schema directly inside it with the result of `map`. */
export function mapSubschemas(
  node: Node,
  map: (schema: unknown, place: Omit<Subschema, 'schema'>) => unknown,
): Record<string, unknown> {
  const copy: Record<string, unknown> = { ...node }
  for (const keyword in copy) {
    const known = APPLICATORS.get(keyword)
    if (known === undefined) continue
    const value = copy[keyword]
    const { relation, isByName } = known
    const mapOne = (schema: unknown, step: string | null) =>
      map(schema, { keyword, relation, step })
    if (!isByName) {
      copy[keyword] = Array.isArray(value)
        ? value.map((each, at) => mapOne(each, String(at)))
        : mapOne(value, null)
    } else if (isNode(value)) {
      const mapped: Record<string, unknown> = {}
      for (const name of Object.keys(value)) setOwn(mapped, name, mapOne(value[name], name))
      copy[keyword] = mapped
    }
  }
  return copy
}

/**
 * Copies a schema from a document, and replaces each schema directly inside it with the result of `change`.
 *
 * @param change Receives the name of the property that the schema describes; `*` for items and other properties; an
 * empty name for a part of the same value.
 */
export function mapChildren<S extends OpenApiSchema | OpenApi30Schema>(
  schema: S,
  change: (schema: S, name: string) => S,
): S {
  // The inner schemas have the same type as the schema itself, and so do their replacements.
  return mapSubschemas(schema as Node, (child, place) =>
    isNode(child) ? change(child as S, nameOf(place)) : child,
  ) as S
}

function nameOf({ keyword, relation, step }: Omit<Subschema, 'schema'>): string {
  if (relation === 'property') return String(step)
  return OF_MEMBERS.has(relation) || keyword === 'contains' ? '*' : ''
}

/**
 * Whether `is` returns true for a schema at any depth below this schema. Most schemas need no change. For them, this
 * cheap check saves the copy that {@link mapChildren} makes.
 */
export function someBelow(schema: OpenApiSchema, is: (schema: OpenApiSchema) => boolean): boolean {
  const isOrHas = (child: unknown): boolean =>
    isNode(child) && (is(child as OpenApiSchema) || someBelow(child as OpenApiSchema, is))
  for (const keyword in schema) {
    const known = APPLICATORS.get(keyword)
    if (known === undefined) continue
    const value: unknown = schema[keyword as 'not']
    if (!known.isByName && !Array.isArray(value)) {
      if (isOrHas(value)) return true
    } else if (typeof value === 'object' && value !== null) {
      for (const each of Object.values(value)) if (isOrHas(each)) return true
    }
  }
  return false
}
