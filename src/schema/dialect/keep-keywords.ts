import type { OpenApiSchema } from '../../contracts/openapi.js'
import { setOwn } from '../set-own.js'
import { watched } from './combination.js'
import {
  below,
  type Conversion,
  isNever,
  isNode,
  NEVER,
  type Node,
  type TypeName,
  toJsonValue,
} from './conversion.js'
import { toPattern } from './pattern.js'
import { formatOf, isBound, SAFE } from './scalar-schema.js'
import { isOfType, isType } from './types.js'

interface KeywordPlace {
  readonly node: Node
  readonly path: string
  readonly conversion: Conversion<OpenApiSchema>
}

/** Converts one keyword, and returns the resulting keywords. */
type Write = (value: unknown, place: KeywordPlace) => OpenApiSchema

const NOT_UNICODE = 'is not in the document: it is not a Unicode regular expression.'

const count =
  (keyword: string): Write =>
  (value) =>
    Number.isInteger(value) && (value as number) >= 0 ? { [keyword]: value } : {}

const text =
  (keyword: string): Write =>
  (value) =>
    typeof value === 'string' && value !== '' ? { [keyword]: value } : {}

/** Creates the conversion of a keyword with one schema. */
const one =
  (keyword: string, step?: string): Write =>
  (value, { path, conversion }) => ({
    [keyword]: conversion.convert(value, step === undefined ? path : below(path, step)),
  })

/** Creates the conversion of a keyword with one schema, which can be `true` or `false`. */
const rest =
  (keyword: string): Write =>
  (value, { path, conversion }) => {
    if (typeof value === 'boolean') return { [keyword]: value }
    const schema = conversion.convert(value, below(path, '*'))
    return { [keyword]: isNever(schema) ? false : schema }
  }

/** Creates the conversion of a keyword with a list of schemas. */
const several =
  (keyword: string): Write =>
  (value, { path, conversion }) =>
    Array.isArray(value) ? { [keyword]: value.map((each) => conversion.convert(each, path)) } : {}

/** Creates the conversion of a keyword with schemas by name. */
const named =
  (keyword: string, step: (path: string, name: string) => string): Write =>
  (value, { path, conversion }) => {
    if (!isNode(value)) return {}
    const schemas: Record<string, OpenApiSchema> = {}
    for (const name of Object.keys(value)) {
      setOwn(schemas, name, conversion.convert(value[name], step(path, name)))
    }
    return { [keyword]: schemas }
  }

function jsonOf(keyword: string, value: unknown): OpenApiSchema {
  const json = toJsonValue(value)
  return json === undefined ? {} : { [keyword]: json }
}

function bound(keyword: string, value: unknown): OpenApiSchema {
  return isBound(value) ? { [keyword]: value } : {}
}

/**
 * Converts `type` and `nullable`. `nullable` is a keyword of OpenAPI 3.0. Authors also use it in JSON Schemas, and Ajv
 * supports it beside `type`.
 */
function types(value: unknown, { node, path, conversion: { lose } }: KeywordPlace): OpenApiSchema {
  const declared: unknown[] = Array.isArray(value) ? value : [value]
  const names = new Set(node.nullable === true ? [...declared, 'null'] : declared)
  const known = [...names].filter(isKnown)
  if (known.length === names.size) {
    const [first] = known
    return known.length === 1 && first !== undefined ? { type: first } : { type: known }
  }
  lose(path, 'A type of the schema does not exist in JSON: the document accepts any value here.')
  return {}
}

/** Removes values that `type` forbids, because tools reject such documents. */
function values(value: unknown, { node }: KeywordPlace): OpenApiSchema {
  if (!Array.isArray(value)) return {}
  const declared: unknown[] | undefined = node.type === undefined ? undefined : [node.type].flat()
  const names = node.nullable === true ? declared?.concat('null') : declared
  const known = value.filter((each) => names === undefined || names.some(isOfType(each)))
  return known.length === 0 ? NEVER : jsonOf('enum', known)
}

/** Returns the stricter of the two lower bounds. In OpenAPI 3.0, `exclusiveMinimum` is a flag beside `minimum`. */
function lowest({ minimum, exclusiveMinimum }: Node): OpenApiSchema {
  if (exclusiveMinimum === true) return bound('exclusiveMinimum', minimum)
  const isStricter = isBound(exclusiveMinimum) && !(isBound(minimum) && minimum > exclusiveMinimum)
  if (isStricter) return { exclusiveMinimum }
  return minimum === -SAFE ? {} : bound('minimum', minimum)
}

function highest({ maximum, exclusiveMaximum }: Node): OpenApiSchema {
  if (exclusiveMaximum === true) return bound('exclusiveMaximum', maximum)
  const isStricter = isBound(exclusiveMaximum) && !(isBound(maximum) && maximum < exclusiveMaximum)
  if (isStricter) return { exclusiveMaximum }
  return maximum === SAFE ? {} : bound('maximum', maximum)
}

function isKnown(name: unknown): name is TypeName | 'null' {
  return name === 'null' || isType(name)
}

function formats(node: Node): OpenApiSchema {
  const format = formatOf(node)
  const { contentEncoding, contentMediaType } = node
  if (format === 'binary') {
    const [type] = [contentMediaType, node['x-content-media-type']].filter(isOneType)
    return { format, contentMediaType: type ?? 'application/octet-stream' }
  }
  if (format === 'byte' && contentEncoding === undefined) return { contentEncoding: 'base64' }
  if (typeof contentEncoding !== 'string') return format === undefined ? {} : { format }
  return { contentEncoding, ...(typeof node.format === 'string' && { format: node.format }) }
}

function isOneType(value: unknown): value is string {
  return typeof value === 'string' && !value.includes(',')
}

function pattern(value: unknown, { path, conversion: { lose } }: KeywordPlace): OpenApiSchema {
  const understood = typeof value === 'string' ? toPattern(value) : undefined
  if (understood !== undefined) return { pattern: understood }
  lose(path, `The pattern ${String(value)} ${NOT_UNICODE}`)
  return {}
}

/** Converts the positions of a tuple: `prefixItems`, or the list `items` of earlier drafts. */
function tuple(places: readonly unknown[], { path, conversion }: KeywordPlace): OpenApiSchema {
  const schemas = places.map((each, at) => conversion.convert(each, below(path, `${at}`)))
  return schemas.length > 0 ? { prefixItems: schemas } : {}
}

/** Converts `contains`. If the schema is inexact, more items match it, so `maxContains` would refuse valid lists. */
function contains(value: unknown, place: KeywordPlace): OpenApiSchema {
  const { convert, hasLost } = watched(place.conversion)
  const schema = { contains: convert(value, below(place.path, '*')) }
  return hasLost() ? schema : { ...schema, ...count('maxContains')(place.node.maxContains, place) }
}

function patternProperties(value: unknown, { path, conversion }: KeywordPlace): OpenApiSchema {
  const schemas: Record<string, OpenApiSchema> = {}
  for (const [source, child] of isNode(value) ? Object.entries(value) : []) {
    const understood = toPattern(source)
    if (understood !== undefined) schemas[understood] = conversion.convert(child, below(path, '*'))
    else conversion.lose(path, `The name pattern ${source} ${NOT_UNICODE}`)
  }
  return Object.keys(schemas).length > 0 ? { patternProperties: schemas } : {}
}

/**
 * Whether the document lacks a pattern, so that properties allowed by the pattern would count as additional properties.
 */
function hasUnknownPattern({ patternProperties: patterns }: Node): boolean {
  return isNode(patterns) && Object.keys(patterns).some((each) => toPattern(each) === undefined)
}

/** Splits the keyword `dependencies` of draft 07 into the two keywords of 2020-12. */
function dependencies(value: unknown, place: KeywordPlace): OpenApiSchema {
  const entries = Object.entries(isNode(value) ? value : {})
  const required = entries.filter(([, each]) => Array.isArray(each))
  const schemas = Object.fromEntries(entries.filter(([, each]) => !Array.isArray(each)))
  return {
    ...(required.length > 0 && jsonOf('dependentRequired', Object.fromEntries(required))),
    ...(Object.keys(schemas).length > 0 && DEPENDENT_SCHEMAS(schemas, place)),
  }
}

/** `oneOf` becomes `anyOf` if a branch is inexact, because a valid value could then match several branches. */
function union(keyword: 'anyOf' | 'oneOf'): Write {
  return (value, { path, conversion }) => {
    if (!Array.isArray(value)) return {}
    const { convert, hasLost } = watched(conversion)
    const branches = value.map((each) => convert(each, path)).filter((branch) => !isNever(branch))
    if (branches.length === 0) return { [keyword]: [NEVER] }
    return { [hasLost() ? 'anyOf' : keyword]: branches }
  }
}

/** Converts `not`. An inexact schema accepts too many values, so its negation would refuse valid values. */
function negation(value: unknown, { path, conversion }: KeywordPlace): OpenApiSchema {
  const { convert, hasLost } = watched(conversion)
  const not = convert(value, path)
  if (!hasLost()) return { not }
  conversion.lose(path, "'not' is not in the document, which cannot express this exclusion.")
  return {}
}

/** Converts `if`, `then` and `else`. An inexact condition would select the wrong branch. */
function condition(value: unknown, { node, path, conversion }: KeywordPlace): OpenApiSchema {
  const { convert, hasLost } = watched(conversion)
  const test = convert(value, path)
  if (hasLost()) {
    conversion.lose(path, "'if' is not in the document, which cannot express this condition.")
    return {}
  }
  return {
    if: test,
    ...(node.then !== undefined && { then: convert(node.then, path) }),
    ...(node.else !== undefined && { else: convert(node.else, path) }),
  }
}

const DEPENDENT_SCHEMAS = named('dependentSchemas', (path) => path)

const WRITERS: Readonly<Record<string, Write>> = {
  type: types,
  const: (value) => jsonOf('const', value),
  enum: values,
  format: (_, { node }) => formats(node),
  contentEncoding: (_, { node }) => formats(node),
  secret: (_, { node }) => formats(node),
  contentMediaType: text('contentMediaType'),
  contentSchema: one('contentSchema'),
  pattern,
  minLength: count('minLength'),
  maxLength: count('maxLength'),
  minimum: (_, { node }) => lowest(node),
  exclusiveMinimum: (_, { node }) => lowest(node),
  maximum: (_, { node }) => highest(node),
  exclusiveMaximum: (_, { node }) => highest(node),
  multipleOf: (value) => (Number(value) > 0 ? bound('multipleOf', value) : {}),
  prefixItems: (value, place) => (Array.isArray(value) ? tuple(value, place) : {}),
  items: (value, place) =>
    Array.isArray(value) ? tuple(value, place) : rest('items')(value, place),
  additionalItems: (value, place) =>
    Array.isArray(place.node.items) ? rest('items')(value, place) : {},
  minItems: count('minItems'),
  maxItems: count('maxItems'),
  uniqueItems: (value) => (value === true ? { uniqueItems: true } : {}),
  contains,
  minContains: count('minContains'),
  unevaluatedItems: rest('unevaluatedItems'),
  properties: named('properties', below),
  required: (value) => {
    const names = Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
    return names.length > 0 ? { required: [...new Set<string>(names)] } : {}
  },
  additionalProperties: (value, place) =>
    hasUnknownPattern(place.node) ? {} : rest('additionalProperties')(value, place),
  patternProperties,
  propertyNames: one('propertyNames'),
  minProperties: count('minProperties'),
  maxProperties: count('maxProperties'),
  unevaluatedProperties: rest('unevaluatedProperties'),
  dependencies,
  dependentRequired: (value) => jsonOf('dependentRequired', value),
  dependentSchemas: DEPENDENT_SCHEMAS,
  allOf: several('allOf'),
  anyOf: union('anyOf'),
  oneOf: union('oneOf'),
  not: negation,
  if: condition,
}

/** The JSON Schema keywords that constrain values, and their conversions. */
export const KEYWORDS: ReadonlyMap<string, Write> = new Map(Object.entries(WRITERS))
