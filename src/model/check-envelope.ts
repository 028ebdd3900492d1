import type { OpenApiSchema } from '../contracts/openapi.js'
import type { EnvelopeFormat, ErrorFormat } from '../contracts/wire-format.js'
import { invalid, type Problem, shown } from '../errors/config-error.js'
import { isPlain, type OptionNames, unknownOptions } from '../errors/option-group.js'
import { someBelow } from '../schema/keywords.js'
import { isJsonType } from '../schema/response-shape.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'
import { schemaProblem } from './schema-problem.js'

const GIVE_ENVELOPE = 'Pass true, false, or { success, schema }.'
const ERROR: OptionNames<ErrorFormat> = { format: true, schema: true, mediaType: true }
const ENVELOPE: OptionNames<EnvelopeFormat> = {
  success: true,
  schema: 'sync',
  mediaType: true,
  error: true,
}

/** Checks each `@Envelope` of one class, without its base classes, or of one method. */
export function checkEnvelopes(subject: string, facts: FactsByKind): Problem[] {
  return factsOf(facts, 'envelope').flatMap(({ envelope }) =>
    checkEnvelope(`${subject} @Envelope`, envelope),
  )
}

/** Checks an envelope. In JavaScript code, the value may have any type. */
export function checkEnvelope(subject: string, envelope: unknown): Problem[] {
  if (typeof envelope === 'boolean') return []
  if (typeof envelope !== 'object' || envelope === null) {
    return [invalid(subject, `${shown(envelope)} is not an envelope.`, GIVE_ENVELOPE)]
  }
  const { success, schema, mediaType, error } = envelope as Partial<EnvelopeFormat>
  const problems = [
    ...(isPlain(envelope) ? unknownOptions(`${subject}.`, envelope, ENVELOPE) : []),
    ...checkMediaType(subject, mediaType),
    ...(error === undefined ? [] : checkErrorFormat(`${subject}.error`, error)),
  ]
  if (typeof success !== 'function') {
    const remedy = 'Pass success: (data, { status, message, req }) => body.'
    problems.push(invalid(subject, 'It has no `success` function.', remedy))
  }
  if (typeof schema !== 'function') {
    const cause = 'It has no `schema` function, so the document could not describe its bodies.'
    problems.push(invalid(subject, cause, 'Pass schema: (data) => the schema of the whole body.'))
  } else problems.push(...checkSchemaFunction(subject, envelope as EnvelopeFormat))
  return problems
}

/** Checks an error format. In JavaScript code, the value may have any type. */
export function checkErrorFormat(subject: string, value: unknown): Problem[] {
  if (typeof value !== 'object' || value === null) {
    const remedy = 'Pass { format, schema }.'
    return [invalid(subject, `${shown(value)} is not an error format.`, remedy)]
  }
  const { format, schema, mediaType } = value as Partial<ErrorFormat>
  const problems = [
    ...(isPlain(value) ? unknownOptions(`${subject}.`, value, ERROR) : []),
    ...checkMediaType(subject, mediaType),
    ...checkBodySchema(subject, schema),
  ]
  if (typeof format === 'function') return problems
  const remedy = 'Pass format: (failure, req) => body.'
  return [...problems, invalid(subject, 'It has no `format` function.', remedy)]
}

/** Checks the schema of error bodies. */
export function checkBodySchema(subject: string, schema: unknown): Problem[] {
  if (schema === undefined) {
    const cause = 'It has no `schema`, so the document could not describe its bodies.'
    return [invalid(subject, cause, 'Pass the schema of the body that `format` returns.')]
  }
  const problem = schemaProblem(schema)
  if (problem === null) return []
  const cause = `Its schema ${problem.cause}`
  return [{ code: 'E_SCHEMA_INVALID', subject, cause, remedy: problem.remedy }]
}

/** Checks the media type of a custom format. */
export function checkMediaType(subject: string, mediaType: unknown): Problem[] {
  if (mediaType === undefined) return []
  const isWritable =
    typeof mediaType === 'string' && /^[\w.+-]+\/[\w.+-]+(;[\x20-\x7e]*)?$/.test(mediaType)
  if (isWritable && isJsonType(mediaType)) return []
  const cause = `Its mediaType ${shown(mediaType)} is not a JSON type, but the body is JSON.`
  return [invalid(subject, cause, "Pass 'application/json', or a type that ends with '+json'.")]
}

/** The arguments for checking `schema`: data without a schema, and data with a schema. */
const DATA: readonly OpenApiSchema[] = [{}, { $ref: '#/components/schemas/Data' }]

/** Calls `schema`, so that an error in it is found before a client reads the document. */
function checkSchemaFunction(subject: string, envelope: EnvelopeFormat): Problem[] {
  for (const data of DATA) {
    const problems = checkSchemaOf(subject, envelope, data)
    if (problems.length > 0) return problems
  }
  return []
}

function checkSchemaOf(subject: string, envelope: EnvelopeFormat, data: OpenApiSchema): Problem[] {
  const remedy = 'Return an OpenAPI 3.0.3 schema synchronously, as a new object.'
  let schema: OpenApiSchema
  try {
    schema = envelope.schema({ ...data })
  } catch (error) {
    return [invalid(subject, `Its \`schema\` threw: ${String(error)}`, remedy)]
  }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    return [invalid(subject, `Its \`schema\` returned ${shown(schema)}.`, remedy)]
  }
  if ('then' in schema) {
    // Otherwise, the unhandled rejection would end the process before the problem is reported.
    Promise.resolve(schema).catch(() => {})
    return [invalid(subject, 'Its `schema` returned a promise.', remedy)]
  }
  const found = foreignKeyword(schema)
  if (found === undefined) return []
  const cause = `Its \`schema\` returned a schema with ${found}, which OpenAPI 3.0.3 does not have.`
  return [invalid(subject, cause, 'Write enum: [value] for const, nullable: true for null.')]
}

/** The keywords of a Schema Object (OpenAPI 3.0.3, 4.7.24). */
const KEYWORDS: ReadonlySet<string> = new Set(
  `$ref title description type format nullable enum multipleOf minimum exclusiveMinimum maximum exclusiveMaximum
  minLength maxLength pattern items minItems maxItems uniqueItems properties required additionalProperties
  minProperties maxProperties allOf anyOf oneOf not default example deprecated readOnly writeOnly discriminator
  externalDocs xml`.split(/\s+/),
)

function foreignKeyword(schema: OpenApiSchema): string | undefined {
  let found: string | undefined
  const isForeign = (each: OpenApiSchema): boolean => {
    const key = Object.keys(each).find((name) => !KEYWORDS.has(name) && !name.startsWith('x-'))
    const wrong = Array.isArray(each.type) ? 'a list of types' : key && `\`${key}\``
    found ??= wrong
    return wrong !== undefined
  }
  return isForeign(schema) || someBelow(schema, isForeign) ? found : undefined
}
