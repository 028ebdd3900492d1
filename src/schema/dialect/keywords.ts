import { isNode, type Node, type TypeName } from './conversion.js'

/** Keywords that apply to values of one type only. */
const OF_TYPE: Readonly<Record<string, string>> = {
  string: 'minLength maxLength pattern format contentEncoding contentMediaType contentSchema',
  number: 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
  array: `items prefixItems additionalItems minItems maxItems uniqueItems contains minContains maxContains
    unevaluatedItems`,
  object: `properties required additionalProperties patternProperties propertyNames minProperties maxProperties
    dependencies dependentRequired dependentSchemas unevaluatedProperties`,
}

const SETS: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries(OF_TYPE).map(([type, words]) => [type, new Set(words.split(/\s+/))]),
)

/** Whether a schema has a keyword that applies to values of this type. */
export function hasKeywordsFor(node: Node, type: TypeName): boolean {
  return Object.keys(node).some((key) => SETS[type]?.has(key) && node[key] !== undefined)
}

/**
 * Keywords whose value is a schema or a list of schemas. The flag shows whether OpenAPI 3.0 can express the keyword.
 */
const DIRECT: Readonly<Record<string, boolean>> = {
  additionalItems: true,
  additionalProperties: true,
  allOf: true,
  anyOf: true,
  contains: false,
  contentSchema: false,
  else: false,
  if: false,
  items: true,
  not: true,
  oneOf: true,
  prefixItems: true,
  propertyNames: true,
  then: false,
  unevaluatedItems: true,
  unevaluatedProperties: true,
}

/** Keywords whose value is an object of schemas by name. */
const BY_NAME: Readonly<Record<string, boolean>> = {
  $defs: false,
  definitions: false,
  dependencies: false,
  dependentSchemas: false,
  patternProperties: true,
  properties: true,
}

/**
 * Returns the child schemas that take part in the converted schema, by keyword. Definitions, which are there
 * only for references, do not.
 */
export function childrenOf(node: Node): [keyword: string, child: unknown][] {
  return subschemasOf(node).filter(([keyword]) => DIRECT[keyword] || BY_NAME[keyword])
}

/**
 * Returns all direct child schemas. The tables are needed because a property may have the name of a keyword.
 */
export function subschemasOf(node: Node): [keyword: string, child: unknown][] {
  return Object.entries(node).flatMap(([keyword, value]): [string, unknown][] => {
    if (Object.hasOwn(DIRECT, keyword)) {
      return (Array.isArray(value) ? value : [value]).map((child) => [keyword, child])
    }
    if (!Object.hasOwn(BY_NAME, keyword) || !isNode(value)) return []
    return Object.values(value).map((child) => [keyword, child])
  })
}

/** Copies a schema and replaces each direct child schema with the result of `map`. */
export function mapSubschemas(node: Node, map: (child: unknown, keyword: string) => unknown): Node {
  const mapOne = ([keyword, value]: [string, unknown]): [string, unknown] => {
    if (Object.hasOwn(DIRECT, keyword)) {
      const mapped = Array.isArray(value)
        ? value.map((child) => map(child, keyword))
        : map(value, keyword)
      return [keyword, mapped]
    }
    if (!Object.hasOwn(BY_NAME, keyword) || !isNode(value)) return [keyword, value]
    const children = Object.entries(value).map(([name, child]) => [name, map(child, keyword)])
    return [keyword, Object.fromEntries(children)]
  }
  return Object.fromEntries(Object.entries(node).map(mapOne))
}
