import type { StandardSchemaV1 } from '@standard-schema/spec'
import { KeyedSchema } from './keyed-schema.js'
import { ListSchema } from './list-schema.js'
import type { DescribeOptions } from './to-json-schema.js'

/**
 * The application may change a JSON Schema object, and a converter function may return different results.
 * Both are described again on each call.
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
