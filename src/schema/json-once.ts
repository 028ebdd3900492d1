import type { StandardSchemaV1 } from '@standard-schema/spec'
import { KeyedSchema, ListSchema } from './composed-schemas.js'
import { type DescribeOptions, toJsonSchema } from './to-json-schema.js'

const known = { input: new WeakMap<object, unknown>(), output: new WeakMap<object, unknown>() }

/**
 * Like `toJsonSchema`, but converts each library schema only once. Callers must not change the result. Errors from the
 * library are thrown.
 */
export function jsonOnce(schema: object, options: DescribeOptions): unknown {
  if (!isConstant(schema, options)) return toJsonSchema(schema, options)
  const memory = known[options.side]
  const json = memory.get(schema) ?? toJsonSchema(schema, options)
  memory.set(schema, json)
  return json
}

/** Like {@link jsonOnce}; `undefined` if the library cannot describe the schema. */
export function jsonIfDescribed(schema: object, options: DescribeOptions): unknown {
  try {
    return jsonOnce(schema, options)
  } catch {
    return undefined
  }
}

/**
 * Whether the description of a schema never changes. An application can change a JSON Schema object, and a converter
 * function can return different results, so both are described again on each call.
 */
export function isConstant(schema: object, options: Pick<DescribeOptions, 'converters'>): boolean {
  const { converters = {} } = options
  if (schema instanceof KeyedSchema) {
    return Object.values(schema.entries).every((part) => part === null || isConstant(part, options))
  }
  if (schema instanceof ListSchema) return isConstant(schema.item, options)
  const standard = (schema as Partial<StandardSchemaV1>)['~standard']
  return standard !== undefined && !Object.hasOwn(converters, String(standard.vendor))
}
