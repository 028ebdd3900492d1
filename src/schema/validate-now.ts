import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Schema } from '../contracts/schema.js'

/** Whether a schema is a Standard Schema. Otherwise it is a JSON Schema. */
export function isStandard(schema: Schema): schema is StandardSchemaV1 {
  return '~standard' in schema
}

/**
 * Validates a value synchronously. Returns `undefined` if the value is invalid, or if the validation is asynchronous.
 */
export function validateNow(
  schema: StandardSchemaV1,
  input: unknown,
): { readonly value: unknown } | undefined {
  try {
    const result = schema['~standard'].validate(input)
    if (!('then' in result)) return result.issues === undefined ? result : undefined
    // The promise is not awaited. Its rejection must be handled, because an unhandled rejection would end the process.
    Promise.resolve(result).catch(() => {})
    return undefined
  } catch {
    return undefined
  }
}

/** The marks of TypeBox's `Type.Optional`: since version 1, and in earlier versions. */
const OPTIONAL_MARKS = ['~optional', Symbol.for('TypeBox.Optional')]

/** The cached result for each library schema. Library schemas do not change. */
const known = new WeakMap<object, boolean>()

/**
 * Whether a schema accepts a missing value. A JSON Schema does if it has a default or is a TypeBox optional. A library
 * schema does if it accepts `undefined`; if its validation is asynchronous, the result is false.
 */
export function acceptsUndefined(schema: Schema): boolean {
  if (!isStandard(schema)) {
    return schema['default'] !== undefined || OPTIONAL_MARKS.some((mark) => mark in schema)
  }
  const isAccepted = known.get(schema) ?? validateNow(schema, undefined) !== undefined
  known.set(schema, isAccepted)
  return isAccepted
}
