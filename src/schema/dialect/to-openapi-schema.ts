import type { DescribedSchema } from '../../contracts/openapi-3-0.js'
import { annotationsOf } from './annotations.js'
import { combine } from './combine.js'
import { type Conversion, NEVER, type Node } from './conversion.js'
import { convertWhole } from './convert-whole.js'
import { Losses } from './losses.js'
import { LOWERED } from './lower-body.js'
import { type Survey, surveySchema } from './survey.js'
import { typedSchema } from './typed-schema.js'

/**
 * Converts JSON Schema, 2020-12 or a draft from 07 on, to the dialect of OpenAPI 3.0.3.
 *
 * @param survey The survey of the same schema. Default: computed here.
 */
export function toOpenApiSchema(
  root: unknown,
  survey: Survey = surveySchema(root),
): DescribedSchema {
  return survey.isPlain ? convertPlain(root, survey) : convertWhole(root, LOWERED)
}

/** Converts a plain schema, faster than {@link convertWhole} and with the same result. */
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
