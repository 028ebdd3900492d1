import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv'
import type { InputSource, JsonSchema, ValidationIssue, Validator } from '../contracts/schema.js'

/** Two validators of one draft. */
interface AjvPair {
  readonly forBody: Ajv
  /** Turns text into what the schema asks for: numbers, booleans, one value into a list of one. */
  readonly forText: Ajv
}

/** Ajv has a class for each draft; all of them take the same options. */
const DRAFTS = {
  '2020-12': async () => (await import('ajv/dist/2020.js')).Ajv2020,
  '2019-09': async () => (await import('ajv/dist/2019.js')).Ajv2019,
  'draft-07': async () => (await import('ajv')).Ajv,
} as const

type Draft = keyof typeof DRAFTS

const LATEST: Draft = '2020-12'

/**
 * Compiles JSON Schemas, formats included, in the draft that `$schema` names, else 2020-12. Defaults
 * are filled in.
 */
export function createJsonSchemaCompiler() {
  // Ajv is loaded with the first JSON Schema; an application of Standard Schemas never pays for it.
  const loading = new Map<Draft, Promise<AjvPair>>()
  const load = (draft: Draft): Promise<AjvPair> => {
    const pair = loading.get(draft) ?? loadAjv(draft)
    loading.set(draft, pair)
    return pair
  }
  return async function compileJsonSchema(
    schema: JsonSchema,
    source: InputSource,
  ): Promise<Validator> {
    const { forBody, forText } = await load(await draftOf(schema, load))
    const validate = (source === 'body' ? forBody : forText).compile(schema)
    // Ajv would answer with a promise, which is truthy: the body would pass before it is validated.
    if ('$async' in validate) throw new Error('$async is not supported')
    return source === 'body' ? bodyValidator(validate) : textValidator(validate)
  }
}

/**
 * TypeBox names no draft and writes tuples as 2019-09 did, `items: [a, b]`, which 2020-12 refuses. What
 * neither draft accepts is reported as 2020-12 sees it.
 */
async function draftOf(
  schema: JsonSchema,
  load: (draft: Draft) => Promise<AjvPair>,
): Promise<Draft> {
  const { $schema } = schema
  if (typeof $schema === 'string') {
    return (Object.keys(DRAFTS) as Draft[]).find((draft) => $schema.includes(draft)) ?? LATEST
  }
  const accepts = async (draft: Draft) => (await load(draft)).forBody.validateSchema(schema)
  return (await accepts(LATEST)) || !(await accepts('2019-09')) ? LATEST : '2019-09'
}

async function loadAjv(draft: Draft): Promise<AjvPair> {
  const [DraftAjv, formats] = await Promise.all([DRAFTS[draft](), import('ajv-formats')])
  // ajv-formats is CommonJS: what `import` calls its default depends on the loader.
  const imported = formats.default as unknown as { default?: unknown }
  const addFormats = (imported.default ?? imported) as (ajv: Ajv) => void
  const create = (options: Options): Ajv => {
    // Vocabulary of other tools (TypeBox, OpenAPI) must not stop a schema from compiling, hence no strict mode.
    const ajv = new DraftAjv({ allErrors: true, useDefaults: true, strict: false, ...options })
    addFormats(ajv)
    // Without this, a schema that also spells a tuple the newer way would have it ignored.
    if (draft === '2019-09') {
      ajv.addKeyword({ keyword: 'prefixItems', type: 'array', macro: (items) => ({ items }) })
    }
    return ajv
  }
  return { forBody: create({}), forText: create({ coerceTypes: 'array' }) }
}

function bodyValidator(validate: ValidateFunction): Validator {
  return function validateBody(value) {
    // `validate.errors` is read in the same tick, so that concurrent requests cannot mix theirs.
    return validate(value) === true ? { value } : { issues: (validate.errors ?? []).map(toIssue) }
  }
}

/** Ajv coerces and fills in place: it must not change `req.headers`, nor an object the caller keeps. */
function textValidator(validate: ValidateFunction): Validator {
  return function validateText(value) {
    const copy = { ...(value as object) }
    return validate(copy) === true
      ? { value: copy }
      : { issues: (validate.errors ?? []).map(toIssue) }
  }
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
