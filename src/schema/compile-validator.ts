import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { SchemaConverters } from '../contracts/openapi.js'
import type { InputSource, Schema, Validator } from '../contracts/schema.js'
import { describeOnce } from './describe-once.js'
import { fieldNames } from './field-names.js'
import { withFiniteNumbers } from './finite-numbers.js'
import { withHeaderNames } from './header-names.js'
import type { CompileJsonSchema } from './json-schema.js'
import { KeyedSchema } from './keyed-schema.js'
import { keyedValidator } from './keyed-validator.js'

/**
 * Compiles a schema to a validator for one part of a request. The promise rejects when a JSON Schema does not
 * compile.
 */
export type CompileValidator = (schema: Schema, source: InputSource) => Promise<Validator>

/**
 * Creates the compiler of one application. Applications do not share it, so two of them may use the same `$id`. JSON
 * Schemas coerce the text inputs (`params`, `query`, `headers`). A Standard Schema does its own coercion, with one
 * exception: a parameter of a query becomes a list where the schema expects a list.
 *
 * @param converters Converters for libraries that cannot describe their schemas. The descriptions show which query
 * parameters are lists, and how the names of headers are written.
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
