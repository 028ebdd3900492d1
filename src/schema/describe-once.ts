import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { DescribedSchema, SchemaSide } from '../contracts/openapi.js'
import type { Schema } from '../contracts/schema.js'
import { describeSchema } from './describe-schema.js'
import type { DescribeOptions } from './to-json-schema.js'

// Schemas of libraries do not change once they are made, so all applications of a process may share what they say: it was
// half of what the start of a test's application cost. Held weakly, and never written to.
const known: Readonly<Record<SchemaSide, WeakMap<object, DescribedSchema>>> = {
  input: new WeakMap(),
  output: new WeakMap(),
}

/** As `describeSchema`, which is asked only once about a schema of a library. What it answers must not be changed. */
export function describeOnce(schema: Schema | object, options: DescribeOptions): DescribedSchema {
  if (!isConstant(schema, options)) return describeSchema(schema, options)
  const memory = known[options.side]
  const described = memory.get(schema) ?? describeSchema(schema, options)
  memory.set(schema, described)
  return described
}

/** JSON Schema is the author's own object, and a converter the author's own function: both may say something else tomorrow. */
function isConstant(schema: object, { converters = {} }: DescribeOptions): boolean {
  const standard = (schema as Partial<StandardSchemaV1>)['~standard']
  return standard !== undefined && !Object.hasOwn(converters, String(standard.vendor))
}
