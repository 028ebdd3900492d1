import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Schema } from '../contracts/schema.js'

/** Whether a schema is a Standard Schema. Otherwise it is a JSON Schema. */
export function isStandard(schema: Schema): schema is StandardSchemaV1 {
  return '~standard' in schema
}

/** Validates a value at once; `undefined` if it is refused, or if the validation needs a promise. */
export function validateNow(
  schema: StandardSchemaV1,
  input: unknown,
): { readonly value: unknown } | undefined {
  try {
    const result = schema['~standard'].validate(input)
    if (!('then' in result)) return result.issues === undefined ? result : undefined
    // The promise is not awaited, and an unhandled rejection would end the process.
    Promise.resolve(result).catch(() => {})
    return undefined
  } catch {
    return undefined
  }
}
