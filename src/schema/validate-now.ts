import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Schema } from '../contracts/schema.js'

/** Whether a schema is a Standard Schema. Otherwise it is a JSON Schema. */
export function isStandard(schema: Schema): schema is StandardSchemaV1 {
  return '~standard' in schema
}

/** Validates a value synchronously; `undefined` if it is invalid, or the validation is asynchronous. */
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

/** The marks of `Type.Optional` of TypeBox, from version 1 on and before. */
const OPTIONAL_MARKS = ['~optional', Symbol.for('TypeBox.Optional')]

/** The validation of `undefined` by each schema of a library. These schemas do not change. */
const known = new WeakMap<object, boolean>()

/**
 * Whether a schema accepts a missing value. A JSON Schema does if it has a default, or is optional in TypeBox. Any
 * other schema validates `undefined`; a schema that does so asynchronously counts as not accepting it.
 */
export function acceptsUndefined(schema: Schema): boolean {
  if (!isStandard(schema)) {
    return schema['default'] !== undefined || OPTIONAL_MARKS.some((mark) => mark in schema)
  }
  const isAccepted = known.get(schema) ?? validateNow(schema, undefined) !== undefined
  known.set(schema, isAccepted)
  return isAccepted
}
