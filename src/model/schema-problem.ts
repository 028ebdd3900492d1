import type { Node } from '../schema/dialect/conversion.js'
import { isKeyword, subschemasOf } from '../schema/keywords.js'
import {
  functionProblem,
  GIVE_SCHEMA,
  instanceProblem,
  isStandardSchema,
  type SchemaProblem,
} from './not-a-schema.js'

/** Why a value is not a schema, and the remedy; `null` when it is a schema. */
export function schemaProblem(schema: unknown): SchemaProblem | null {
  if (schema === undefined) {
    const cause = 'is undefined. An undefined one is often a circular import.'
    return { cause, remedy: GIVE_SCHEMA }
  }
  if (isStandardSchema(schema)) return null
  if (typeof schema === 'function') return functionProblem(schema)
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    return { cause: 'is not a schema.', remedy: GIVE_SCHEMA }
  }
  return instanceProblem(schema) ?? shapeProblem(schema) ?? nestedProblem(schema)
}

/**
 * The problem of a bare shape such as `{ name: z.string() }`: as a JSON Schema it has no keywords and would accept
 * every value.
 */
function shapeProblem(schema: object): SchemaProblem | null {
  const keys = Object.keys(schema)
  const isShape = Object.values(schema).some(isStandardSchema)
  if (!isShape && (keys.length === 0 || keys.some(isKeyword))) return null
  return {
    cause: `is an object with ${keys.join(', ')}, and none of these is a JSON Schema keyword: it would accept anything.`,
    remedy: isShape
      ? 'Make a schema of the shape: z.object({ … }), v.object({ … }), type({ … }).'
      : "Write { type: 'object', properties: { … } }, or give a Standard Schema.",
  }
}

/**
 * Finds a class, an instance of a class, or a schema of a library inside a JSON Schema: that part would accept every
 * value.
 */
function nestedProblem(root: object): SchemaProblem | null {
  const seen = new Set<unknown>([root])
  function visit(schema: object, at: string): SchemaProblem | null {
    for (const { keyword, step, schema: part } of subschemasOf(schema as Node)) {
      if (seen.has(part)) continue
      seen.add(part)
      const place = [at, keyword, step].filter(Boolean).join('.')
      const problem = partProblem(part, place) ?? (isObject(part) ? visit(part, place) : null)
      if (problem !== null) return problem
    }
    return null
  }
  return visit(root, '')
}

function partProblem(part: unknown, place: string): SchemaProblem | null {
  if (isStandardSchema(part)) {
    return {
      cause: `is a JSON Schema that has a schema of a library at ${place}, which it cannot read.`,
      remedy: 'Write all of it with the library, or all of it as JSON Schema.',
    }
  }
  const isFunction = typeof part === 'function'
  const problem = isFunction ? functionProblem(part) : isObject(part) ? instanceProblem(part) : null
  return problem && { ...problem, cause: `is a JSON Schema whose ${place} ${problem.cause}` }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
