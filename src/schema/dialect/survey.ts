import { COERCED_MARK, isNode, MADE_MARK } from './conversion.js'

/** The kinds of keywords in a whole schema. The conversion of its parts skips the kinds that do not occur. */
export interface Survey {
  /**
   * Whether the schema has only types, bounds and annotations, as most schemas have: no references, names or
   * combinations.
   */
  readonly isPlain: boolean
  /** Whether a description, an example or a default may occur. */
  readonly isAnnotated: boolean
}

const BOUNDS = new Set([
  MADE_MARK,
  COERCED_MARK,
  ...`$schema type nullable enum const format minLength maxLength pattern contentEncoding contentMediaType
  minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems required
  minProperties maxProperties`.split(/\s+/),
])

const ANNOTATIONS = new Set(
  'description default example examples deprecated readOnly writeOnly'.split(' '),
)

/** Reads every keyword of a schema once. */
export function surveySchema(schema: unknown): Survey {
  const survey = { isPlain: true, isAnnotated: false }
  look(schema, survey)
  // The search does not look inside keywords that are not plain, so there may be annotations that it has not
  // seen.
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
