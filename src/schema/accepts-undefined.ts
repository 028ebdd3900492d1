import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Schema } from '../contracts/schema.js'

/** The marks of `Type.Optional` of TypeBox, from version 1 on and before. */
const OPTIONAL_MARKS = ['~optional', Symbol.for('TypeBox.Optional')]

/** The validation of `undefined` by each schema of a library. Those schemas do not change. */
const known = new WeakMap<object, boolean>()

/**
 * Whether a schema accepts a missing value. A JSON Schema does if it has a default, or is optional in TypeBox. Any other
 * schema validates `undefined`; one that does so asynchronously counts as one that does not accept it.
 */
export function acceptsUndefined(schema: Schema): boolean {
  if (!isStandard(schema)) {
    return schema['default'] !== undefined || OPTIONAL_MARKS.some((mark) => mark in schema)
  }
  const isAccepted = known.get(schema) ?? validatesUndefined(schema)
  known.set(schema, isAccepted)
  return isAccepted
}

function isStandard(schema: Schema): schema is StandardSchemaV1 {
  return '~standard' in schema
}

function validatesUndefined(schema: StandardSchemaV1): boolean {
  try {
    const result = schema['~standard'].validate(undefined)
    if (!('then' in result)) return result.issues === undefined
    // Nobody waits for the promise, and an unhandled rejection would end the process.
    Promise.resolve(result).catch(() => {})
    return false
  } catch {
    return false
  }
}
