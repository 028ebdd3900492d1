import type { DescribedSchema, OpenApiSchema } from '../../contracts/openapi-3-0.js'
import { annotationsOf } from './annotations.js'
import { combinations, combine } from './combination.js'
import {
  COERCED_MARK,
  type Conversion,
  type Dialect,
  isNode,
  Losses,
  MADE_MARK,
  NEVER,
  type Node,
} from './conversion.js'
import { convertWhole } from './convert-whole.js'
import { typedSchema } from './typed-schema.js'

/**
 * Converts a JSON Schema (draft 07, 2019-09 or 2020-12) to the dialect of OpenAPI 3.0.3.
 *
 * @param survey The survey of the same schema. If omitted, the function computes the survey.
 */
export function toOpenApiSchema(
  root: unknown,
  survey: Survey = surveySchema(root),
): DescribedSchema {
  return survey.isPlain ? convertPlain(root, survey) : convertWhole(root, LOWERED)
}

/** Converts a plain schema. This function is faster than {@link convertWhole} and returns the same result. */
function convertPlain(root: unknown, { isAnnotated }: Survey): DescribedSchema {
  const losses = new Losses()
  const convert: Conversion['convert'] = (schema, path) => {
    if (schema === true) return {}
    if (schema === false) return NEVER
    const node = schema as Node
    const typed = typedSchema(node, path, conversion)
    return isAnnotated ? combine(annotationsOf(node), [typed]) : typed
  }
  const { add: lose, count } = losses
  const conversion = { convert, lose, countLosses: count, follow: () => [] }
  return { schema: convert(root, ''), definitions: [], losses: losses.all }
}

/** The kinds of keywords in a whole schema. The conversion skips the kinds that do not occur. */
interface Survey {
  /**
   * Whether the schema has only types, bounds and annotations, and no references, names or combinations. Most schemas
   * are plain.
   */
  readonly isPlain: boolean
  /** Whether a description, an example or a default can occur. */
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
  // The search skips the content of keywords that are not plain, so it can miss annotations.
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

/** The dialect of OpenAPI 3.0.3. Constraints that it cannot express become less exact. */
export const LOWERED: Dialect<OpenApiSchema> = {
  write(node, path, conversion) {
    const own = withoutUnevaluated(node, path, conversion)
    const parts = conversion.follow(node, path)
    parts.push(typedSchema(own, path, conversion), ...combinations(own, path, conversion))
    return combine(annotationsOf(node), parts)
  },
  of: (schema) => schema,
}

const APPLICATORS = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'contains']

/**
 * Drops `unevaluatedItems` and `unevaluatedProperties` if other keywords may evaluate items or properties. Otherwise,
 * they are kept, because then they have the same meaning as `items` and `additionalProperties`.
 */
function withoutUnevaluated(node: Node, path: string, { lose }: Conversion): Node {
  if (node.unevaluatedItems === undefined && node.unevaluatedProperties === undefined) return node
  if (!APPLICATORS.some((keyword) => node[keyword] !== undefined)) return node
  const { unevaluatedItems, unevaluatedProperties, ...others } = node
  for (const [keyword, value] of Object.entries({ unevaluatedItems, unevaluatedProperties })) {
    if (value === undefined) continue
    lose(path, `'${keyword}' is not in the document: OpenAPI 3.0 cannot express it.`)
  }
  return others
}
