import type { ErrorObject, ValidateFunction } from 'ajv'
import type { Ajv2020 as AjvInstance } from 'ajv/dist/2020.js'
import type { InputSource, JsonSchema, ValidationIssue, Validator } from '../contracts/schema.js'

interface AjvPair {
  readonly forBody: AjvInstance
  /** Turns text into what the schema asks for: numbers, booleans, one value into a list of one. */
  readonly forText: AjvInstance
}

/** Compiles JSON Schemas (draft 2020-12, formats included). Defaults are filled in. */
export function createJsonSchemaCompiler() {
  // Ajv is loaded with the first JSON Schema; an application of Standard Schemas never pays for it.
  let loading: Promise<AjvPair> | undefined
  return async function compileJsonSchema(
    schema: JsonSchema,
    source: InputSource,
  ): Promise<Validator> {
    loading ??= loadAjv()
    const { forBody, forText } = await loading
    return source === 'body'
      ? bodyValidator(forBody.compile(schema))
      : textValidator(forText.compile(schema))
  }
}

async function loadAjv(): Promise<AjvPair> {
  const [{ Ajv2020 }, formats] = await Promise.all([
    import('ajv/dist/2020.js'),
    import('ajv-formats'),
  ])
  // ajv-formats is CommonJS: what `import` calls its default depends on the loader.
  const imported = formats.default as unknown as { default?: unknown }
  const addFormats = (imported.default ?? imported) as (ajv: AjvInstance) => void
  // Vocabulary of other tools (TypeBox, OpenAPI) must not stop a schema from compiling, hence no strict mode.
  const common = { allErrors: true, useDefaults: true, strict: false } as const
  const forBody = new Ajv2020(common)
  const forText = new Ajv2020({ ...common, coerceTypes: 'array' })
  addFormats(forBody)
  addFormats(forText)
  return { forBody, forText }
}

function bodyValidator(validate: ValidateFunction): Validator {
  return function validateBody(value) {
    // `validate.errors` is read in the same tick, so that concurrent requests cannot mix theirs.
    return validate(value) ? { value } : { issues: (validate.errors ?? []).map(toIssue) }
  }
}

/** Ajv coerces and fills in place: it must not change `req.headers`, nor an object the caller keeps. */
function textValidator(validate: ValidateFunction): Validator {
  return function validateText(value) {
    const copy = { ...(value as object) }
    return validate(copy) ? { value: copy } : { issues: (validate.errors ?? []).map(toIssue) }
  }
}

function toIssue(error: ErrorObject): ValidationIssue {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer)
  // Ajv reports a missing or a surplus property on the object that should (not) hold it.
  const { missingProperty, additionalProperty } = error.params as Record<string, string | undefined>
  const property = missingProperty ?? additionalProperty
  if (property !== undefined) path.push(property)
  return { path, message: error.message ?? 'is invalid' }
}

/** RFC 6901, section 4. */
function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}
