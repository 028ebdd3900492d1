import type {
  DescribedSchema,
  OpenApi30Schema,
  OpenApiSchema,
  SchemaLoss,
} from '../contracts/openapi.js'
import type * as Lowered from '../contracts/openapi-3-0.js'
import type { Schema } from '../contracts/schema.js'
import { convertWhole } from './dialect/convert-whole.js'
import { KEPT } from './dialect/keep-body.js'
import { surveySchema, toOpenApiSchema } from './dialect/to-openapi-schema.js'
import { isConstant, jsonOnce } from './json-once.js'
import { mapChildren, someBelow } from './keywords.js'
import { type CompileOpenApiSchema, createOpenApiCompiler } from './openapi-validator.js'
import type { DocumentedOptions } from './to-json-schema.js'
import { forReaders } from './visibility/for-readers.js'

type Describe<D> = (schema: Schema | object, options: DocumentedOptions) => D

/**
 * Caches the descriptions of library schemas. These schemas are immutable, so all applications in a process share the
 * descriptions. In tests without the cache, half of the time for creating an application was spent on describing
 * schemas. The keys are weak references, and the descriptions are never changed.
 */
function remembering<D>(describe: Describe<D>): Describe<D> {
  // Descriptions depend on the side and on the readers of the document.
  const byReader = new Map<string, WeakMap<object, D>>()
  return function describeOnce(schema, options) {
    if (!isConstant(schema, options)) return describe(schema, options)
    const { side, audience } = options
    const key = audience == null ? side : `${side} ${JSON.stringify(audience)}`
    const memory = byReader.get(key) ?? new WeakMap<object, D>()
    byReader.set(key, memory)
    const described = memory.get(schema) ?? describe(schema, options)
    memory.set(schema, described)
    return described
  }
}

/** Like `describeSchema`, but describes each library schema only once. Callers must not change the result. */
export const describeOnce: Describe<Lowered.DescribedSchema> = remembering(describeSchema)

/** Like {@link describeOnce}, but in JSON Schema 2020-12. */
export const describeKeptOnce: Describe<DescribedSchema> = remembering(describeKept)

/**
 * Describes a schema in the dialect of OpenAPI 3.0.3. Never throws: a schema that cannot be described becomes `{}`, and
 * the reason is reported as a loss. The output side describes the JSON that a client receives; the input side describes
 * the JSON that a client sends.
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
    if (json instanceof Promise) throw new Error('its description is a promise')
    const { audience = null, side } = options
    return describe(forReaders(json, { audience, side }))
  } catch (error) {
    // `String(error)` is not used, because code can throw any value, and some values cannot be converted to a string.
    const reason =
      error instanceof Error ? error.message : `it threw a value of type ${typeof error}`
    const cause = `The schema cannot be described (${reason}): the document accepts any value.`
    return { schema: {}, definitions: [], losses: [{ path: '', cause }] }
  }
}

const REMEDIED = 'so the document omits this value'

/**
 * Removes from a description each example and `default` that its own schema rejects. Readers of the document would copy
 * such a value, and some tools would refuse the whole document. A description without examples and defaults is returned
 * unchanged, without loading Ajv.
 */
function checkExamples<S extends OpenApiSchema | OpenApi30Schema>(
  described: DescribedSchema<S>,
): DescribedSchema<S> {
  const bodies = [described.schema, ...described.definitions.map(({ schema }) => schema)]
  if (!bodies.some((body) => hasExample(body) || someBelow(body, hasExample))) return described
  const losses: SchemaLoss[] = []
  const compile = createOpenApiCompiler(described.definitions)
  const visit = (schema: S, path: string): S => {
    const checked = mapChildren(schema, (child, name) => visit(child, join(path, name)))
    const wrong = valuesOf(checked).filter(({ value }) => isRejected(checked, value, compile))
    if (wrong.length === 0) return checked
    const copy: Record<string, unknown> = { ...checked }
    for (const { key, value } of wrong) {
      const cause = `The schema does not accept its ${key} ${JSON.stringify(value)}, ${REMEDIED}.`
      losses.push({ path, cause, code: 'W_EXAMPLE_INVALID' })
      remove(copy, key, value)
    }
    // Only examples and defaults were removed, and the type does not require them.
    return copy as S
  }
  const schema = visit(described.schema, '')
  const definitions = described.definitions.map((definition) => ({
    ...definition,
    schema: visit(definition.schema, definition.name),
  }))
  if (losses.length === 0) return described
  return { schema, definitions, losses: [...described.losses, ...losses] }
}

interface StatedValue {
  readonly key: 'example' | 'default'
  readonly value: unknown
}

function valuesOf({ example, default: value, examples = [] }: OpenApiSchema): StatedValue[] {
  return [
    ...[example, ...examples].map((each) => ({ key: 'example' as const, value: each })),
    { key: 'default', value },
  ]
}

/** Removes an example or a default. OpenAPI 3.0 supports one example; later versions support a list. */
function remove(schema: Record<string, unknown>, key: StatedValue['key'], value: unknown): void {
  const { examples } = schema
  if (key !== 'example' || !Array.isArray(examples)) {
    delete schema[key]
    return
  }
  const left = examples.filter((each) => each !== value)
  if (left.length > 0) schema['examples'] = left
  else delete schema['examples']
}

function hasExample({ example, examples, default: value }: OpenApiSchema): boolean {
  return example !== undefined || examples !== undefined || value !== undefined
}

function join(path: string, name: string): string {
  return [path, name].filter((part) => part !== '').join('.')
}

function isRejected(schema: OpenApiSchema, value: unknown, compile: CompileOpenApiSchema): boolean {
  if (value === undefined) return false
  const isAccepted = acceptsScalar(schema, value)
  if (isAccepted !== undefined) return !isAccepted
  try {
    return !compile(schema)(value)
  } catch {
    // The schema does not compile, for example because its pattern is invalid. The example cannot be checked, so it is
    // kept.
    return false
  }
}

/** The keywords that {@link acceptsScalar} checks, and keywords without constraints. */
const PLAIN = new Set(
  `type enum nullable minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength title description
  default example examples deprecated readOnly writeOnly externalDocs`.split(/\s+/),
)

/**
 * Checks a number, boolean or string without loading Ajv. Returns `undefined` for all other values and schemas, which
 * only Ajv can check.
 */
function acceptsScalar(schema: OpenApiSchema, value: unknown): boolean | undefined {
  const isPlain = Object.keys(schema).every((key) => PLAIN.has(key))
  if (typeof value === 'object' || !isPlain) return undefined
  const { type = typeof value, enum: values } = schema
  const isType = [type].flat().some((each) => isOfType(value, each))
  if (!isType || values?.includes(value) === false) return false
  if (typeof value === 'number') return isWithin(value, schema)
  // JSON Schema counts code points, not UTF-16 units.
  return typeof value !== 'string' || isLongEnough([...value].length, schema)
}

function isOfType(value: unknown, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : type === typeof value
}

/** Whether a number is within the bounds. In OpenAPI 3.0, an exclusive bound is a flag beside the bound. */
function isWithin(value: number, schema: OpenApiSchema): boolean {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum, exclusiveMaximum } = schema
  const low = typeof exclusiveMinimum === 'number' ? exclusiveMinimum : -Infinity
  const high = typeof exclusiveMaximum === 'number' ? exclusiveMaximum : Infinity
  if (value <= low || value >= high) return false
  const isAbove = exclusiveMinimum === true ? value > minimum : value >= minimum
  return isAbove && (exclusiveMaximum === true ? value < maximum : value <= maximum)
}

function isLongEnough(
  length: number,
  { minLength = 0, maxLength = Infinity }: OpenApiSchema,
): boolean {
  return length >= minLength && length <= maxLength
}
