import {
  functionProblem,
  instanceProblem,
  isStandardSchema,
  type SchemaProblem,
} from './not-a-schema.js'

/** Keywords whose value is a map of schemas, a list of schemas, or one schema. `items` may be a list or one. */
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']
const SINGLES =
  'items additionalItems additionalProperties contains else if not propertyNames then unevaluatedItems unevaluatedProperties'.split(
    ' ',
  )

/**
 * Finds a class, an instance of a class, or a schema of a library inside a JSON Schema: that part would accept every
 * value.
 */
export function nestedProblem(root: object): SchemaProblem | null {
  const seen = new Set<unknown>([root])
  function visit(schema: object, at: string): SchemaProblem | null {
    for (const [step, part] of partsOf(schema)) {
      if (seen.has(part)) continue
      seen.add(part)
      const place = at === '' ? step : `${at}.${step}`
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

function partsOf(schema: object): [step: string, part: unknown][] {
  const keywords = schema as Readonly<Record<string, unknown>>
  const parts: [string, unknown][] = []
  for (const name of SINGLES) {
    if (!Array.isArray(keywords[name])) parts.push([name, keywords[name]])
  }
  for (const name of [...MAPS, ...LISTS]) {
    const held = keywords[name]
    if (!isObject(held) || (LISTS.includes(name) && !Array.isArray(held))) continue
    for (const [step, part] of Object.entries(held)) parts.push([`${name}.${step}`, part])
  }
  return parts
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
