import { nestedProblem } from './nested-schema-problem.js'
import {
  functionProblem,
  GIVE_SCHEMA,
  instanceProblem,
  isStandardSchema,
  type SchemaProblem,
} from './not-a-schema.js'

/** The keywords that show that an object is a JSON Schema; TypeBox marks its schemas with `~kind`. */
const KEYWORDS: ReadonlySet<string> = new Set(
  `$anchor $comment $defs $dynamicRef $id $ref $schema additionalItems additionalProperties allOf anyOf const
  contains contentEncoding contentMediaType default definitions dependencies dependentRequired dependentSchemas
  deprecated description else enum examples exclusiveMaximum exclusiveMinimum format if items maxContains maxItems
  maxLength maxProperties maximum minContains minItems minLength minProperties minimum multipleOf not nullable oneOf
  pattern patternProperties prefixItems properties propertyNames readOnly required then title type unevaluatedItems
  unevaluatedProperties uniqueItems writeOnly ~kind`.split(/\s+/),
)

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
  if (!isShape && (keys.length === 0 || keys.some((key) => KEYWORDS.has(key)))) return null
  return {
    cause: `is an object with ${keys.join(', ')}, and none of these is a JSON Schema keyword: it would accept anything.`,
    remedy: isShape
      ? 'Make a schema of the shape: z.object({ … }), v.object({ … }), type({ … }).'
      : "Write { type: 'object', properties: { … } }, or give a Standard Schema.",
  }
}
