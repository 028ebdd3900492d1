import type { ErrorObject, Options, ValidateFunction } from 'ajv'
import type {
  InputSource,
  JsonSchema,
  ValidationIssue,
  ValidationResult,
  Validator,
} from '../contracts/schema.js'
import { type BoundedAjv, type CreateAjv, DRAFTS, type Draft, loadAjv } from './ajv/load-ajv.js'
import { MAX_ISSUES } from './max-issues.js'

/** The validators of one draft. What refuses is quick and says one error; what collects says why, and is made when something is refused. */
interface AjvSet {
  readonly forBody: AjvPair
  /** Turns text into what the schema asks for: numbers, booleans, one value into a list of one. */
  readonly forText: AjvPair
}

interface AjvPair {
  readonly refusing: BoundedAjv
  readonly collecting: () => BoundedAjv
}

/**
 * Says what is wrong with a value that is refused, once all is filled in.
 *
 * @param sent What `value` is a copy of, if it is one.
 */
type Validate = (value: unknown, sent?: unknown) => readonly ValidationIssue[] | undefined

const LATEST: Draft = '2020-12'

/**
 * Compiles JSON Schemas, formats included, in the draft that `$schema` names, else 2020-12. Defaults
 * are filled in.
 */
export function createJsonSchemaCompiler() {
  // Ajv is loaded with the first JSON Schema; an application of Standard Schemas never pays for it.
  const loading = new Map<Draft, Promise<AjvSet>>()
  const load = (draft: Draft): Promise<AjvSet> => {
    const loaded = loading.get(draft) ?? loadAjv(draft).then(createSet)
    loading.set(draft, loaded)
    return loaded
  }
  return async function compileJsonSchema(
    schema: JsonSchema,
    source: InputSource,
  ): Promise<Validator> {
    const { forBody, forText } = await load(await draftOf(schema, load))
    return source === 'body'
      ? bodyValidator(compile(schema, forBody))
      : textValidator(compile(schema, forText))
  }
}

/**
 * TypeBox names no draft and writes tuples as 2019-09 did, `items: [a, b]`, which 2020-12 refuses. What
 * neither draft accepts is reported as 2020-12 sees it.
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
  // Ajv would answer with a promise, which is truthy: the body would pass before it is validated.
  if ('$async' in refuse) throw new Error('$async is not supported')
  let collect: ValidateFunction | undefined
  return function validate(value, sent = value) {
    refusing.work.begin(value)
    if (refuse(value) === true) return undefined
    // `errors` are read in the same tick, so that concurrent requests cannot mix theirs.
    const { errors } = refuse
    const collector = collecting()
    collect ??= collector.compile(schema)
    collector.work.begin(value)
    const isRefused = collect(sent === value ? value : { ...(sent as object) }) !== true
    return ((isRefused ? collect.errors : errors) ?? []).slice(0, MAX_ISSUES).map(toIssue)
  }
}

/** A schema that does not compile is told with all that is wrong with it. */
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

/** Ajv coerces and fills in place: it must not change `req.headers`, nor an object the caller keeps. */
function textValidator(validate: Validate): Validator {
  return function validateText(value) {
    const copy = { ...(value as object) }
    return toResult(copy, validate(copy, value))
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
  // Ajv reports a missing or a surplus property on the object that should (not) hold it.
  const { missingProperty, additionalProperty } = params as Record<string, string | undefined>
  const property = missingProperty ?? additionalProperty
  if (property !== undefined) path.push(property)
  return { path, message: message ?? 'is invalid' }
}

/** The steps of a JSON Pointer (RFC 6901, sections 3 and 4). */
function stepsOf(pointer: string): string[] {
  const steps = pointer.split('/')
  steps.shift()
  // To look for an escape in every step took ten times as long as Ajv's validation, and there is hardly ever one.
  return pointer.includes('~') ? steps.map(unescapeStep) : steps
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}
