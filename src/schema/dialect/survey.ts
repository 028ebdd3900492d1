import { isNode } from './conversion.js'

/** What a whole schema is made of: what stands nowhere in it need not be looked for in each of its parts. */
export interface Survey {
  /** Types and their bounds only, as most schemas are: nothing refers, is named, or has to be combined. */
  readonly isPlain: boolean
  /** Whether anything may be described, or have an example or a default. */
  readonly isAnnotated: boolean
}

const BOUNDS = new Set(
  `$schema type nullable enum const format minLength maxLength pattern contentEncoding contentMediaType
  minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems required
  minProperties maxProperties`.split(/\s+/),
)

const ANNOTATIONS = new Set(
  'description default example examples deprecated readOnly writeOnly'.split(' '),
)

/** Looks at every keyword of a schema once. */
export function surveySchema(schema: unknown): Survey {
  const survey = { isPlain: true, isAnnotated: false }
  look(schema, survey)
  // Whoever has met what is not plain has not looked further.
  return survey.isPlain ? survey : { isPlain: false, isAnnotated: true }
}

function look(schema: unknown, survey: { isPlain: boolean; isAnnotated: boolean }): void {
  if (!isNode(schema)) {
    if (typeof schema !== 'boolean') survey.isPlain = false
    return
  }
  for (const keyword in schema) {
    if (BOUNDS.has(keyword)) continue
    const value = schema[keyword]
    if (keyword === 'items' || keyword === 'additionalProperties') look(value, survey)
    else if (keyword === 'properties' && isNode(value)) {
      for (const name in value) look(value[name], survey)
    } else if (ANNOTATIONS.has(keyword)) survey.isAnnotated = true
    else survey.isPlain = false
  }
}
