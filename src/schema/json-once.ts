import { isConstant } from './is-constant.js'
import { type DescribeOptions, toJsonSchema } from './to-json-schema.js'

const known = { input: new WeakMap<object, unknown>(), output: new WeakMap<object, unknown>() }

/**
 * Like `toJsonSchema`, but converts each schema of a library only once. Callers must not change the result. Errors of the
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
