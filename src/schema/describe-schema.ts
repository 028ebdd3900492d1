import type { DescribedSchema } from '../contracts/openapi.js'
import type * as Lowered from '../contracts/openapi-3-0.js'
import type { Schema } from '../contracts/schema.js'
import { checkExamples } from './check-examples.js'
import { convertWhole } from './dialect/convert-whole.js'
import { KEPT } from './dialect/keep-body.js'
import { surveySchema } from './dialect/survey.js'
import { toOpenApiSchema } from './dialect/to-openapi-schema.js'
import { jsonOnce } from './json-once.js'
import type { DocumentedOptions } from './to-json-schema.js'
import { forReaders } from './visibility/for-readers.js'

/**
 * Describes a schema in the dialect of OpenAPI 3.0.3. Never throws: a schema that cannot be described becomes
 * `{}`, and a loss gives the reason. The output side describes the JSON that a client receives; the input
 * side describes the JSON that a client sends.
 *
 * @example
 * describeSchema(z.object({ at: z.date() }), { side: 'output' }).schema
 * // { type: 'object', properties: { at: { type: 'string', format: 'date-time' } }, required: ['at'] }
 */
export function describeSchema(
  schema: Schema | object,
  options: DocumentedOptions,
): Lowered.DescribedSchema {
  return attempt(schema, options, (json) => {
    const survey = surveySchema(json)
    const described = toOpenApiSchema(json, survey)
    return survey.isAnnotated ? checkExamples(described) : described
  })
}

/** Like {@link describeSchema}, in the dialect of OpenAPI 3.1 and later: JSON Schema 2020-12. */
export function describeKept(schema: Schema | object, options: DocumentedOptions): DescribedSchema {
  return attempt(schema, options, (json) => checkExamples(convertWhole(json, KEPT)))
}

function attempt<D>(
  schema: object,
  options: DocumentedOptions,
  describe: (json: unknown) => D,
): D | Lowered.DescribedSchema {
  try {
    const json = jsonOnce(schema, options)
    if (json instanceof Promise) throw new Error('it returns a promise')
    const { audience = null, side } = options
    return describe(forReaders(json, { audience, side }))
  } catch (error) {
    // Not `String(error)`: code may throw any value, and some values cannot be converted to text.
    const reason = error instanceof Error ? error.message : `it threw ${typeof error}`
    const cause = `The schema cannot be described (${reason}): the document accepts anything.`
    return { schema: {}, definitions: [], losses: [{ path: '', cause }] }
  }
}
