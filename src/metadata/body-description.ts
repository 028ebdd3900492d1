import type { Schema } from '../contracts/schema.js'

const TYPES: readonly unknown[] = ['json', 'form', 'text', 'bytes']

/**
 * Whether a value describes a body, and is not a schema: `{ type: 'text' }`, `{ schema, limit }`. No type of JSON Schema
 * has the name of a type of bodies, and JSON Schema has no keyword `schema`.
 */
export function isBodyDescription(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || '~standard' in value) return false
  // `@Body` without parentheses receives the prototype of a class.
  if (![Object.prototype, null].includes(Object.getPrototypeOf(value))) return false
  const { type } = value as { type?: unknown }
  const types = Array.isArray(type) ? type : [type]
  return 'schema' in value || types.some((each) => TYPES.includes(each))
}

/** Separates the schema of a description from its options. */
export function describeBody(description: object): { schema?: Schema; options: unknown } {
  const { schema, ...options } = description as { schema?: Schema }
  return 'schema' in description ? { schema: schema as Schema, options } : { options }
}
