import type { OpenApiSchema } from '../../contracts/openapi-3-0.js'
import { type Conversion, isNever, NEVER, type Node } from './conversion.js'
import { anyOf, oneOf } from './union.js'

/** Converts `allOf`, `anyOf`, `oneOf` and `not`, each to a separate schema. */
export function combinations(node: Node, path: string, conversion: Conversion): OpenApiSchema[] {
  const { if: condition, allOf, anyOf: any, oneOf: one, not } = node
  if (condition !== undefined) {
    conversion.lose(path, "'if' is not in the document: OpenAPI 3.0 cannot express it.")
  }
  const parts: OpenApiSchema[] = []
  if (Array.isArray(allOf)) parts.push(everyOf(allOf, path, conversion))
  if (Array.isArray(any)) parts.push(someOf(any, path, conversion))
  if (Array.isArray(one)) parts.push(exactlyOneOf(one, path, conversion))
  if (not !== undefined) parts.push(negation(not, path, conversion))
  return parts
}

function everyOf(
  schemas: readonly unknown[],
  path: string,
  { convert }: Conversion,
): OpenApiSchema {
  const parts = schemas.map((schema) => convert(schema, path)).filter((part) => !isAnything(part))
  if (parts.some(isNever)) return NEVER
  return parts.length > 1 ? { allOf: parts } : combine({}, parts)
}

function someOf(schemas: readonly unknown[], path: string, { convert }: Conversion): OpenApiSchema {
  const branches = schemas.map((schema) => convert(schema, path))
  return branches.some(isAnything) ? {} : anyOf(branches)
}

/**
 * Converts `oneOf`. Uses `anyOf` if a branch lost a constraint: such a branch accepts more values, so several branches
 * could match a valid value, and `oneOf` would refuse it.
 */
function exactlyOneOf(
  schemas: readonly unknown[],
  path: string,
  conversion: Conversion,
): OpenApiSchema {
  const { convert, hasLost } = watched(conversion)
  const branches = schemas.map((schema) => convert(schema, path))
  if (!hasLost()) return oneOf(branches)
  return branches.some(isAnything) ? {} : anyOf(branches)
}

/** Converts `not`. Drops `not` if its schema lost a constraint, because the negation would then refuse valid values. */
function negation(schema: unknown, path: string, conversion: Conversion): OpenApiSchema {
  const { convert, hasLost } = watched(conversion)
  const not = convert(schema, path)
  if (hasLost()) {
    conversion.lose(
      path,
      "'not' is not in the document: OpenAPI 3.0 cannot express this exclusion.",
    )
    return {}
  }
  return isNever(not) ? {} : { not }
}

/** Returns the conversion's `convert`, and a function that reports whether anything was lost since this call. */
export function watched<S>(
  conversion: Conversion<S>,
): Pick<Conversion<S>, 'convert'> & { readonly hasLost: () => boolean } {
  const before = conversion.countLosses()
  return { convert: conversion.convert, hasLost: () => conversion.countLosses() > before }
}

function isAnything(schema: OpenApiSchema): boolean {
  return Object.keys(schema).length === 0
}

/** Combines parts into one schema. Parts whose keywords do not collide are merged; the others are put in `allOf`. */
export function combine(
  annotations: OpenApiSchema,
  parts: readonly OpenApiSchema[],
): OpenApiSchema {
  const isBare = Object.keys(annotations).length === 0
  const [first] = parts
  if (isBare && parts.length === 1 && first !== undefined) return withoutNeedlessAllOf(first)
  if (parts.some(isNever)) return { ...annotations, ...NEVER }
  let beside: OpenApiSchema = {}
  const all: OpenApiSchema[] = []
  for (const part of parts.map(withoutNeedlessAllOf)) {
    if (fits(part, beside)) beside = { ...beside, ...part }
    else all.push(...(isAllOf(part) ? part.allOf : [part]))
  }
  const [only] = all
  const isAlone = isBare && Object.keys(beside).length === 0 && all.length === 1
  if (isAlone && only !== undefined) return only
  return { ...beside, ...annotations, ...(all.length > 0 && { allOf: all }) }
}

/** Replaces an `allOf` with its part, if it has only one part and no keywords beside it. */
function withoutNeedlessAllOf(part: OpenApiSchema): OpenApiSchema {
  if (part.allOf === undefined) return part
  const [only, ...more] = part.allOf
  return isAllOf(part) && only !== undefined && more.length === 0 ? only : part
}

function isAllOf(part: OpenApiSchema): part is { readonly allOf: readonly OpenApiSchema[] } {
  return part.allOf !== undefined && Object.keys(part).length === 1
}

/**
 * Whether a part can be merged with the other keywords. A reference cannot be merged, because keywords beside it are
 * ignored.
 */
function fits(part: OpenApiSchema, beside: OpenApiSchema): boolean {
  if (part.$ref !== undefined || part.allOf !== undefined) return false
  return Object.keys(part).every((keyword) => !Object.hasOwn(beside, keyword))
}
