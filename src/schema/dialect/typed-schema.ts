import type { OpenApiSchema } from '../../contracts/openapi-3-0.js'
import { hasKeywordsFor } from '../keywords.js'
import { positionsOf } from '../places.js'
import { setOwn } from '../set-own.js'
import { combine } from './combination.js'
import {
  below,
  type Conversion,
  type Draft,
  isNever,
  isNode,
  NEVER,
  type Node,
  type TypeName,
  toJsonValue,
} from './conversion.js'
import { copyCount, numberSchema, stringSchema } from './scalar-schema.js'
import { allowedTypes, isEqual, isType, typeOf } from './types.js'
import { anyOf, NULL, withNull, withoutFullEnum } from './union.js'

/**
 * Converts `type`, `enum`, `const` and the keywords of each type. An OpenAPI 3.0 schema has at most one type, so
 * several types become a union.
 */
export function typedSchema(node: Node, path: string, conversion: Conversion): OpenApiSchema {
  const { type } = node
  if (isType(type) && isOfThatTypeOnly(node)) {
    return { type, ...ofType(type, node, { path, conversion }) }
  }
  const { types, hasNull, values } = allowedTypes(node, { path, lose: conversion.lose })
  if (types === null) return untyped(node, path, conversion)
  const branches = types.map((type): OpenApiSchema => {
    const own = values?.filter((value) => typeOf(value, types) === type).map(toJsonValue)
    const schema = { type, ...ofType(type, node, { path, conversion }) }
    return own === undefined ? schema : withoutFullEnum({ ...schema, enum: own })
  })
  const [first, ...others] = branches
  if (first === undefined) return hasNull ? NULL : NEVER
  const head = hasNull ? (withNull(first) ?? first) : first
  return others.length === 0 ? head : { anyOf: [head, ...others] }
}

/** Whether `type` alone determines the allowed types, as in nearly every schema. */
function isOfThatTypeOnly(node: Node): boolean {
  return node.nullable !== true && node.enum === undefined && node.const === undefined
}

/** Converts the keywords of one type, and ignores all other keywords. */
function ofType(
  type: TypeName,
  node: Node,
  { path, conversion }: { readonly path: string; readonly conversion: Conversion },
): OpenApiSchema {
  switch (type) {
    case 'string':
      return stringSchema(node, path, conversion)
    case 'number':
    case 'integer':
      return numberSchema(node, type)
    case 'array':
      return arraySchema(node, path, conversion)
    case 'object':
      return objectSchema(node, path, conversion)
    case 'boolean':
      return {}
  }
}

/**
 * Converts a schema without `type`. In both dialects, such a schema accepts every value of a type to which its keywords
 * do not apply.
 */
function untyped(node: Node, path: string, conversion: Conversion): OpenApiSchema {
  const spoken = (['string', 'number', 'array', 'object'] as const).filter((type) =>
    hasKeywordsFor(node, type),
  )
  const parts = spoken.map((type) => ofType(type, node, { path, conversion }))
  return Object.assign({}, ...parts) as OpenApiSchema
}

/**
 * Converts `items` and the other keywords for lists. OpenAPI 3.0 has no tuples: the item schemas of a tuple become a
 * union, and the limit on its length is kept.
 */
function arraySchema(node: Node, path: string, conversion: Conversion): OpenApiSchema {
  loseAll(DROPPED_OF_LISTS, node, path, conversion)
  const { first, rest = node.unevaluatedItems } = positionsOf(node)
  const item = below(path, '*')
  const bounds: Draft = {}
  copyCount(bounds, 'minItems', node)
  copyCount(bounds, 'maxItems', node)
  const unique = node.uniqueItems === true && { uniqueItems: true }
  const others = rest === undefined ? {} : conversion.convert(rest, item)
  if (first.length === 0) {
    if (isNever(others)) return { items: {}, ...bounds, maxItems: 0, ...unique }
    return { items: others, ...bounds, ...unique }
  }
  const places = first.map((schema, at) => conversion.convert(schema, below(path, `${at}`)))
  const isClosed = isNever(others)
  const items = distinct(isClosed ? places : [...places, others])
  if (items.length > 1) {
    conversion.lose(path, 'OpenAPI 3.0 has no tuples: each item can be at any position.')
  }
  return {
    ...(conversion.keepsTuples && { prefixItems: places }),
    items: items.some(isAnything) ? {} : anyOf(items),
    ...bounds,
    ...(isClosed && { maxItems: Math.min(bounds.maxItems ?? places.length, places.length) }),
    ...unique,
  }
}

function isAnything(schema: OpenApiSchema): boolean {
  return Object.keys(schema).length === 0
}

function distinct(schemas: readonly OpenApiSchema[]): OpenApiSchema[] {
  return schemas.filter((schema, at) => schemas.findIndex((other) => isEqual(schema, other)) === at)
}

/** Keywords that OpenAPI 3.0 does not have. Without these keywords, the document accepts more values. */
const DROPPED_OF_LISTS = ['contains', 'minContains', 'maxContains']
const DROPPED_OF_OBJECTS = ['dependencies', 'dependentRequired', 'dependentSchemas']

const NOT_EXPRESSIBLE = 'is not in the document: OpenAPI 3.0 cannot express it.'

/** Patterns that match every name. */
const ANY_NAME = new Set(['', '.*', '^.*$', '^(.*)$', '^.*', '.*$', '^[\\s\\S]*$', '^'])

type Properties = Readonly<Record<string, OpenApiSchema>>

/** Reports the loss of each of these keywords that the schema contains. */
function loseAll(
  keywords: readonly string[],
  node: Node,
  path: string,
  { lose }: Pick<Conversion, 'lose'>,
): void {
  for (const keyword of keywords) {
    if (node[keyword] !== undefined) lose(path, `'${keyword}' ${NOT_EXPRESSIBLE}`)
  }
}

/** Converts `properties` and the other keywords for objects. */
function objectSchema(node: Node, path: string, conversion: Conversion): OpenApiSchema {
  loseAll(DROPPED_OF_OBJECTS, node, path, conversion)
  const others = otherProperties(node, path, conversion)
  const names = allowedNames(node, path, conversion)
  const declared = declaredProperties(node, path, conversion)
  const named = names === undefined ? declared : pickNames(declared, { names, others })
  const rest = names === undefined ? others : false
  const required = requiredNames(node)
  const properties = withRequired(named, { required, rest })
  const hasProperties = Object.keys(properties).length > 0
  // `additionalProperties: true` is the default. An author who sets it explicitly expects other properties, so it is
  // kept.
  const isLoose = hasProperties && rest === undefined && saysOthers(node)
  const schema: Draft = {}
  if (hasProperties) schema.properties = properties
  if (required.length > 0) schema.required = required
  if (rest !== undefined) schema.additionalProperties = rest
  else if (isLoose) schema.additionalProperties = true
  copyCount(schema, 'minProperties', node)
  copyCount(schema, 'maxProperties', node)
  return schema
}

function declaredProperties(node: Node, path: string, conversion: Conversion): Properties {
  const { properties, patternProperties } = node
  const declared: Record<string, OpenApiSchema> = {}
  if (!isNode(properties)) return declared
  for (const name of Object.keys(properties)) {
    const at = below(path, name)
    const own = conversion.convert(properties[name], at)
    const isAlone = patternProperties === undefined
    setOwn(declared, name, isAlone ? own : withPatterns(own, { node, name, at }, conversion))
  }
  return declared
}

/** Combines the schema of a property with the schemas of all patterns that match its name. */
function withPatterns(
  own: OpenApiSchema,
  { node, name, at }: { readonly node: Node; readonly name: string; readonly at: string },
  { convert }: Conversion,
): OpenApiSchema {
  const { patternProperties } = node
  const patterns = isNode(patternProperties) ? Object.entries(patternProperties) : []
  const matching = patterns.filter(([pattern]) => isMatch(pattern, name))
  const all = [own, ...matching.map(([, other]) => convert(other, at))]
  const telling = all.filter((each) => Object.keys(each).length > 0)
  return telling.length > 1 ? combine({}, telling) : (telling[0] ?? own)
}

function isMatch(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(name)
  } catch {
    return false
  }
}

/** Returns the schema for undescribed properties; `undefined` if every value is allowed. */
function otherProperties(
  node: Node,
  path: string,
  conversion: Conversion,
): OpenApiSchema | false | undefined {
  const at = below(path, '*')
  const { patternProperties } = node
  const convertOne = (schema: unknown): OpenApiSchema => conversion.convert(schema, at)
  const rest = restOf(node)
  const fallback = rest === undefined ? undefined : convertOne(rest)
  if (!isNode(patternProperties)) return toRest(fallback)
  const patterns = Object.keys(patternProperties)
  const values = Object.values(patternProperties).map(convertOne)
  const catchAll = patterns.findIndex((pattern) => ANY_NAME.has(pattern))
  if (catchAll >= 0 && patterns.length === 1) return toRest(values[catchAll])
  conversion.lose(
    path,
    'OpenAPI 3.0 has no patterns for property names: they are not in the document.',
  )
  if (fallback === undefined) return undefined
  const possible = isNever(fallback) ? values : [...values, fallback]
  if (possible.some((schema) => Object.keys(schema).length === 0)) return undefined
  return toRest(
    anyOf(
      possible.filter((schema, n) => !possible.slice(0, n).some((other) => isEqual(schema, other))),
    ),
  )
}

/**
 * `unevaluatedProperties` has the same meaning as `additionalProperties` here. `withoutUnevaluated` removed it if any
 * other keyword evaluates properties.
 */
function restOf(node: Node): unknown {
  return node.additionalProperties ?? node.unevaluatedProperties
}

/** Whether the schema has a rule for properties that it does not describe. */
function saysOthers(node: Node): boolean {
  return restOf(node) !== undefined || isNode(node.patternProperties)
}

function toRest(schema: OpenApiSchema | undefined): OpenApiSchema | false | undefined {
  if (schema === undefined || Object.keys(schema).length === 0) return undefined
  return isNever(schema) ? false : schema
}

/** Returns the names that `propertyNames` lists. OpenAPI 3.0 cannot express any other rule for names. */
function allowedNames(node: Node, path: string, conversion: Conversion): string[] | undefined {
  if (node.propertyNames === undefined || node.propertyNames === true) return undefined
  const { type, enum: values, ...others } = conversion.convert(node.propertyNames, path)
  const isBare = Object.keys(others).length === 0
  if (isBare && values !== undefined) return values.filter((value) => typeof value === 'string')
  if (!isBare || (type !== undefined && type !== 'string')) {
    conversion.lose(path, 'OpenAPI 3.0 has no rules for property names: any name is accepted.')
  }
  return undefined
}

function pickNames(
  declared: Properties,
  {
    names,
    others,
  }: { readonly names: readonly string[]; readonly others: OpenApiSchema | false | undefined },
): Properties {
  const value = others === false ? { not: {} } : (others ?? {})
  return Object.fromEntries(
    names.map((name) => {
      const own = Object.hasOwn(declared, name) ? declared[name] : undefined
      return [name, own ?? value]
    }),
  )
}

function requiredNames({ required }: Node): string[] {
  if (!Array.isArray(required)) return []
  return [...new Set(required)].filter((name): name is string => typeof name === 'string')
}

/** Adds a schema for each required property without one, because tools refuse a document with such a property. */
function withRequired(
  properties: Properties,
  {
    required,
    rest,
  }: { readonly required: readonly string[]; readonly rest: OpenApiSchema | false | undefined },
): Properties {
  if (required.every((name) => Object.hasOwn(properties, name))) return properties
  const missing = required.filter((name) => !Object.hasOwn(properties, name))
  const value = rest === false ? { not: {} } : (rest ?? {})
  return Object.fromEntries([
    ...Object.entries(properties),
    ...missing.map((name) => [name, value] as const),
  ])
}
