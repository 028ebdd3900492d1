import type { OpenApiSchema } from '../../contracts/openapi-3-0.js'
import { hasKeywordsFor } from '../keywords.js'
import { positionsOf } from '../places.js'
import {
  below,
  type Conversion,
  type Draft,
  isNever,
  NEVER,
  type Node,
  type TypeName,
} from './conversion.js'
import { toJsonValue } from './json-value.js'
import { NULL, withNull } from './null.js'
import { objectSchema } from './object-schema.js'
import { copyCount, numberSchema, stringSchema } from './scalar-schema.js'
import { allowedTypes, isEqual, isType, typeOf } from './types.js'
import { anyOf, withoutFullEnum } from './union.js'

/**
 * Converts `type`, `enum`, `const` and the keywords of each type. An OpenAPI schema has at most one type, so
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

/** Converts the keywords of one type and ignores other keywords. */
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
 * Converts a schema without `type`. In both dialects, the keywords of one type then accept all values of
 * other types.
 */
function untyped(node: Node, path: string, conversion: Conversion): OpenApiSchema {
  const spoken = (['string', 'number', 'array', 'object'] as const).filter((type) =>
    hasKeywordsFor(node, type),
  )
  const parts = spoken.map((type) => ofType(type, node, { path, conversion }))
  return Object.assign({}, ...parts) as OpenApiSchema
}

/**
 * Converts `items` and the other keywords of lists. OpenAPI 3.0 has no tuples: their items become a union,
 * and the limit on their length stays.
 */
function arraySchema(node: Node, path: string, conversion: Conversion): OpenApiSchema {
  const dropped = droppedKeyword(node)
  if (dropped !== undefined) {
    conversion.lose(path, `'${dropped}' is not in the document: OpenAPI 3.0 cannot express it.`)
  }
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
    conversion.lose(path, 'OpenAPI 3.0 has no tuples: any of the items may stand at any place.')
  }
  return {
    ...(conversion.keepsTuples && { prefixItems: places }),
    items: items.some(isAnything) ? {} : anyOf(items),
    ...bounds,
    ...(isClosed && { maxItems: Math.min(bounds.maxItems ?? places.length, places.length) }),
    ...unique,
  }
}

function droppedKeyword(node: Node): string | undefined {
  return ['contains', 'minContains', 'maxContains'].find((keyword) => node[keyword] !== undefined)
}

function isAnything(schema: OpenApiSchema): boolean {
  return Object.keys(schema).length === 0
}

function distinct(schemas: readonly OpenApiSchema[]): OpenApiSchema[] {
  return schemas.filter((schema, at) => schemas.findIndex((other) => isEqual(schema, other)) === at)
}
