import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { SchemaConverters } from '../contracts/openapi.js'
import type { InputSource, Schema, Validator } from '../contracts/schema.js'
import { compileZod } from './compile-zod.js'
import { describeOnce } from './describe-once.js'
import { withFiniteNumbers } from './finite-numbers.js'
import { createJsonSchemaCompiler } from './json-schema.js'
import { withQueryLists } from './query-lists.js'
import { standardValidator } from './standard-schema.js'
import { hasUserCode } from './zod-validate.js'

/** Makes a schema callable for one part of a request. Rejects when a JSON Schema does not compile. */
export type CompileValidator = (schema: Schema, source: InputSource) => Promise<Validator>

/**
 * A compiler of its own for every application, so that equal `$id`s of two applications never meet.
 * Text inputs (`params`, `query`, `headers`) are coerced where the schema is JSON Schema; Standard
 * Schemas say themselves what they coerce, but for a query parameter that is a list of one.
 *
 * @param converters Of libraries that do not say which parameters are lists.
 */
export function createValidatorCompiler(converters?: SchemaConverters): CompileValidator {
  const compileJsonSchema = createJsonSchemaCompiler()
  return async function compileValidator(schema, source) {
    if (isStandardSchema(schema)) {
      const own = standardValidator(schema, await compileZod(schema))
      if (source === 'body') return own
      const validate = withFiniteNumbers(own, () => mayOverflow(schema))
      if (source !== 'query') return validate
      return withQueryLists(validate, describeOnce(schema, { side: 'input', converters }))
    }
    return await compileJsonSchema(schema, source)
  }
}

/** What zod coerces itself is a number. */
function mayOverflow(schema: StandardSchemaV1): boolean {
  return schema['~standard'].vendor !== 'zod' || hasUserCode(schema)
}

function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  const isHolder = (typeof value === 'object' && value !== null) || typeof value === 'function'
  return isHolder && typeof (value as StandardSchemaV1)['~standard']?.validate === 'function'
}
