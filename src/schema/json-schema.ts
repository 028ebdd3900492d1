import type { ErrorObject, Options, ValidateFunction } from 'ajv'
import type { DataValidationCxt } from 'ajv/dist/types/index.js'
import type {
  InputSource,
  JsonSchema,
  ValidationIssue,
  ValidationResult,
  Validator,
} from '../contracts/schema.js'
import { type BoundedAjv, type CreateAjv, DRAFTS, type Draft, loadAjv } from './ajv/load-ajv.js'
import { isNode, type Node } from './dialect/conversion.js'
import { mapSubschemas } from './keywords.js'
import { acceptsUndefined } from './validate-now.js'
import { MAX_ISSUES } from './work-limit.js'

/** The copies of schemas. A schema always has the same copy, because Ajv rejects two schemas with the same `$id`. */
const known = new WeakMap<object, JsonSchema>()

/**
 * Adds `type` to schemas with numeric and boolean constants, such as `{ enum: [1, 2] }`. Ajv converts a string only if
 * its schema has a `type`. A schema that needs no change is returned unchanged.
 */
function withTypesOfConstants(schema: JsonSchema): JsonSchema {
  const copy = known.get(schema) ?? (typed(schema) as JsonSchema)
  known.set(schema, copy)
  return copy
}

function typed(schema: unknown): unknown {
  if (!isNode(schema)) return schema
  let isChanged = false
  const copy = mapSubschemas(schema, (child) => {
    const mapped = typed(child)
    isChanged ||= mapped !== child
    return mapped
  })
  const type = schema.type === undefined ? typeOfConstants(schema) : undefined
  if (type !== undefined) return { ...copy, type }
  return isChanged ? copy : schema
}

/**
 * Returns the types of the constants; `undefined` if there are no constants, or if one of them is a string, a list or
 * an object.
 */
function typeOfConstants({ const: only, enum: values }: Node): readonly string[] | undefined {
  const constants = only === undefined ? values : [only]
  if (!Array.isArray(constants) || constants.length === 0) return undefined
  const types = new Set(constants.map((value) => (value === null ? 'null' : typeof value)))
  const isPlain = [...types].every((type) => ['number', 'boolean', 'null'].includes(type))
  return isPlain ? [...types] : undefined
}

/**
 * The Ajv instances of one draft, as two pairs. In a pair, `refusing` is fast and stops at the first error.
 * `collecting` finds all errors; it is created when the first value is refused.
 */
interface AjvSet {
  readonly forBody: AjvPair
  /** Converts a string to a number or boolean, and a single value to a list, where the schema requires it. */
  readonly forText: AjvPair
}

interface AjvPair {
  readonly refusing: BoundedAjv
  readonly collecting: () => BoundedAjv
}

/**
 * Returns the issues of a refused value; `undefined` for a valid value. Fills in defaults and coerces in place.
 *
 * @param sent The original value, if `value` is a copy.
 * @param place The object that contains the value. Ajv writes the coerced value into it.
 */
type Validate = (
  value: unknown,
  sent?: unknown,
  place?: DataValidationCxt,
) => readonly ValidationIssue[] | undefined

const LATEST: Draft = '2020-12'

/** Compiles a JSON Schema. Rejects if the schema does not compile. */
export type CompileJsonSchema = ReturnType<typeof createJsonSchemaCompiler>

/**
 * Creates a compiler for JSON Schemas, with formats. `$schema` selects the draft. Without `$schema`, the draft is
 * 2020-12, or 2019-09 if only that draft accepts the schema. The validators fill in defaults.
 */
export function createJsonSchemaCompiler() {
  // Ajv is loaded for the first JSON Schema. An application with only Standard Schemas never loads it.
  const loading = new Map<Draft, Promise<AjvSet>>()
  const load = (draft: Draft): Promise<AjvSet> => {
    const loaded = loading.get(draft) ?? loadAjv(draft).then(createSet)
    loading.set(draft, loaded)
    return loaded
  }
  return async function compileJsonSchema(
    schema: JsonSchema,
    source: InputSource,
    { isMember = false }: { readonly isMember?: boolean } = {},
  ): Promise<Validator> {
    const { forBody, forText } = await load(await draftOf(schema, load))
    const validate =
      source === 'body' ? compile(schema, forBody) : compile(withTypesOfConstants(schema), forText)
    if (isMember) return memberValidator(schema, validate)
    return source === 'body' ? bodyValidator(validate) : textValidator(validate)
  }
}

/**
 * Returns the draft of a schema. TypeBox does not add `$schema`, and it represents tuples as `items: [a, b]`, which
 * 2019-09 accepts and 2020-12 rejects. If neither draft accepts the schema, 2020-12 reports the errors.
 */
async function draftOf(
  schema: JsonSchema,
  load: (draft: Draft) => Promise<AjvSet>,
): Promise<Draft> {
  const { $schema } = schema
  if (typeof $schema === 'string') {
    return DRAFTS.find((draft) => $schema.includes(draft)) ?? LATEST
  }
  const accepts = async (draft: Draft) =>
    (await load(draft)).forBody.refusing.validateSchema(schema)
  return (await accepts(LATEST)) || !(await accepts('2019-09')) ? LATEST : '2019-09'
}

function createSet(create: CreateAjv): AjvSet {
  const createPair = (options: Options): AjvPair => {
    let collecting: BoundedAjv | undefined
    return {
      refusing: create(options),
      collecting: () => {
        collecting ??= create({ ...options, allErrors: true })
        return collecting
      },
    }
  }
  return { forBody: createPair({}), forText: createPair({ coerceTypes: 'array' }) }
}

function compile(schema: JsonSchema, { refusing, collecting }: AjvPair): Validate {
  const refuse = compileOrExplain(schema, { refusing, collecting })
  // The validator of an `$async` schema returns a promise, which is never `true`, so every value would be refused.
  if ('$async' in refuse) throw new Error('$async is not supported')
  let collect: ValidateFunction | undefined
  return function validate(value, sent = value, place) {
    refusing.work.begin(value)
    if (refuse(value, place) === true) return undefined
    // `errors` is a property of the validator function. It must be read before another request runs the validator.
    const { errors } = refuse
    const collector = collecting()
    collect ??= collector.compile(schema)
    collector.work.begin(value)
    const again = sent === value ? value : { ...(sent as object) }
    const isRefused = collect(again, place) !== true
    return ((isRefused ? collect.errors : errors) ?? []).slice(0, MAX_ISSUES).map(toIssue)
  }
}

/**
 * Compiles a schema. If that fails, compiles it again with `collecting`, whose error lists every problem in the schema.
 */
function compileOrExplain(schema: JsonSchema, { refusing, collecting }: AjvPair): ValidateFunction {
  try {
    return refusing.compile(schema)
  } catch (error) {
    collecting().compile(schema)
    throw error
  }
}

function bodyValidator(validate: Validate): Validator {
  return function validateBody(value) {
    return toResult(value, validate(value))
  }
}

/**
 * Creates a validator for text inputs. Ajv coerces and fills in defaults in place, so it validates a copy:
 * `req.headers` and the caller's objects must not change.
 */
function textValidator(validate: Validate): Validator {
  return function validateText(value) {
    const copy = { ...(value as object) }
    return toResult(copy, validate(copy, value))
  }
}

/** Creates a validator for one value of an object. Ajv coerces a value only inside the object that contains it. */
function memberValidator(schema: JsonSchema, validate: Validate): Validator {
  return function validateMember(sent) {
    const value: unknown = sent === undefined ? structuredClone(schema['default']) : sent
    if (value === undefined) {
      return acceptsUndefined(schema)
        ? { value }
        : { issues: [{ path: [], message: 'is required' }] }
    }
    const holder: Record<string, unknown> = { value }
    const issues = validate(value, value, {
      instancePath: '',
      parentData: holder,
      parentDataProperty: 'value',
      rootData: holder,
      dynamicAnchors: {},
    })
    return toResult(holder['value'], issues)
  }
}

function toResult(
  value: unknown,
  issues: readonly ValidationIssue[] | undefined,
): ValidationResult {
  return issues === undefined ? { value } : { issues }
}

function toIssue({ instancePath, params, message }: ErrorObject): ValidationIssue {
  const path = stepsOf(instancePath)
  // Ajv reports a missing or an additional property with the path of its parent object.
  const { missingProperty, additionalProperty } = params as Record<string, string | undefined>
  const property = missingProperty ?? additionalProperty
  if (property !== undefined) path.push(property)
  return { path, message: message ?? 'is invalid' }
}

/** Returns the keys of a JSON Pointer (RFC 6901, sections 3 and 4). */
function stepsOf(pointer: string): string[] {
  const steps = pointer.split('/')
  steps.shift()
  // Escapes are rare, and searching every key for them took ten times as long as Ajv's validation.
  return pointer.includes('~') ? steps.map(unescapeStep) : steps
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}
