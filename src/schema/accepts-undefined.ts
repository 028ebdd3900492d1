import type { Schema } from '../contracts/schema.js'
import { isStandard, validateNow } from './validate-now.js'

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
