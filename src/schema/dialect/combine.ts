import type { OpenApiSchema } from '../../contracts/openapi-3-0.js'
import { isNever, NEVER } from './conversion.js'

/** Combines parts into one schema: side by side if their keywords do not collide, else in `allOf`. */
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

/** Replaces an `allOf` that has one part, and no keyword beside it, by that part. */
function withoutNeedlessAllOf(part: OpenApiSchema): OpenApiSchema {
  if (part.allOf === undefined) return part
  const [only, ...more] = part.allOf
  return isAllOf(part) && only !== undefined && more.length === 0 ? only : part
}

function isAllOf(part: OpenApiSchema): part is { readonly allOf: readonly OpenApiSchema[] } {
  return part.allOf !== undefined && Object.keys(part).length === 1
}

/**
 * Whether a part can be merged with its neighbours. A reference cannot, because keywords beside it are
 * ignored.
 */
function fits(part: OpenApiSchema, beside: OpenApiSchema): boolean {
  if (part.$ref !== undefined || part.allOf !== undefined) return false
  return Object.keys(part).every((keyword) => !Object.hasOwn(beside, keyword))
}
