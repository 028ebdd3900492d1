import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { SchemaConverters } from '../contracts/openapi.js'
import type {
  InputSource,
  Schema,
  ValidationIssue,
  ValidationResult,
  Validator,
} from '../contracts/schema.js'
import { KeyedSchema } from './composed-schemas.js'
import { describeOnce } from './describe-schema.js'
import { withHeaderNames } from './header-names.js'
import type { CompileJsonSchema } from './json-schema.js'
import { keyedValidator } from './keyed-validator.js'
import { fieldNames } from './object-fields.js'

/**
 * Compiles a schema to a validator for one part of a request. The promise rejects when a JSON Schema does not
 * compile.
 */
export type CompileValidator = (schema: Schema, source: InputSource) => Promise<Validator>

/**
 * Creates the compiler for one application. Applications do not share a compiler, so two applications can use the same
 * `$id`. JSON Schemas coerce the text inputs (`params`, `query`, `headers`, `cookies`). A Standard Schema performs its
 * own coercion, with one exception: a query parameter becomes a list where the schema expects a list.
 *
 * @param converters Converters for libraries that cannot describe their schemas. The descriptions determine which query
 * parameters are lists and how header names are spelled.
 */
export function createValidatorCompiler(converters?: SchemaConverters): CompileValidator {
  let jsonSchemas: Promise<CompileJsonSchema> | undefined
  const compileJsonSchema: CompileJsonSchema = async (...given) => {
    jsonSchemas ??= import('./json-schema.js').then((loaded) => loaded.createJsonSchemaCompiler())
    return await (await jsonSchemas)(...given)
  }
  return async function compileValidator(schema, source) {
    const validate = await compile(schema, source)
    if (source === 'query') {
      const { withQueryLists } = await import('./query-lists.js')
      return withQueryLists(validate, describeOnce(schema, { side: 'input', converters }))
    }
    const isWhole = source === 'headers' && !(schema instanceof KeyedSchema)
    return isWhole ? withHeaderNames(validate, fieldNames(schema, converters)) : validate
  }
  async function compile(schema: Schema, source: InputSource): Promise<Validator> {
    if (!isStandardSchema(schema)) return await compileJsonSchema(schema, source)
    const { compileStandard, mayOverflow } = await import('./standard-schema.js')
    const own =
      schema instanceof KeyedSchema
        ? await compileKeys(schema, (part) => compileMember(part, source))
        : await compileStandard(schema)
    return source === 'body' ? own : withFiniteNumbers(own, () => mayOverflow(schema))
  }
  async function compileMember(part: Schema, source: InputSource): Promise<Validator> {
    if (!isStandardSchema(part)) return await compileJsonSchema(part, source, { isMember: true })
    return await (await import('./standard-schema.js')).compileStandard(part)
  }
}

async function compileKeys(
  { entries, isOpen }: KeyedSchema,
  compileMember: (part: Schema) => Promise<Validator>,
): Promise<Validator> {
  const members = Object.entries(entries).map(async ([key, part]) => ({
    key,
    validate: part === null ? null : await compileMember(part),
  }))
  return keyedValidator(await Promise.all(members), isOpen)
}

function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  const isHolder = (typeof value === 'object' && value !== null) || typeof value === 'function'
  return isHolder && typeof (value as StandardSchemaV1)['~standard']?.validate === 'function'
}

/**
 * Refuses a string that the schema converts to `NaN` or an infinity. For example, `v.toNumber()`, arktype's
 * `string.numeric.parse` and `transform(Number)` convert `1e400`, or a string of 400 digits, to `Infinity`. An infinity
 * that the schema intentionally returns for another string, such as `unlimited`, is accepted.
 *
 * @param mayOverflow Returns whether the schema can produce such a number. It is called once, for the first value.
 */
function withFiniteNumbers(validate: Validator, mayOverflow: () => boolean): Validator {
  let isNeeded: boolean | undefined
  return function validateText(sent) {
    const result = validate(sent)
    isNeeded ??= mayOverflow()
    if (!isNeeded) return result
    // Validators from `compileStandard` return native promises, so `instanceof` is safe.
    if (result instanceof Promise) return result.then((settled) => refuse(settled, sent))
    return refuse(result, sent)
  }
}

function refuse(result: ValidationResult, sent: unknown): ValidationResult {
  if (result.issues !== undefined) return result
  const issues = overflows({ made: result.value, sent, path: [] })
  return issues.length === 0 ? result : { issues }
}

interface ComparedNumbers {
  readonly made: unknown
  readonly sent: unknown
  readonly path: readonly string[]
}

function overflows({ made, sent, path }: ComparedNumbers): ValidationIssue[] {
  if (typeof made === 'number') {
    const isLost =
      typeof sent === 'string' && !Number.isFinite(made) && Object.is(made, Number(sent))
    return isLost ? [{ path, message: 'must be a finite number' }] : []
  }
  if (!isHolder(sent) || !isHolder(made)) return []
  // The recursion follows the keys of the sent value, which is finite. The converted value can contain itself.
  return Object.keys(sent).flatMap((name) =>
    overflows({ made: made[name], sent: sent[name], path: [...path, name] }),
  )
}

function isHolder(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
