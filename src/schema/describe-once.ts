import type { DescribedSchema } from '../contracts/openapi.js'
import type * as Lowered from '../contracts/openapi-3-0.js'
import type { Schema } from '../contracts/schema.js'
import { describeKept, describeSchema } from './describe-schema.js'
import { isConstant } from './is-constant.js'
import type { DocumentedOptions } from './to-json-schema.js'

// Schemas of libraries are immutable, so all applications of a process share their descriptions. Describing
// them again was half of the time to create an application in a test. The keys are held weakly, and the
// descriptions are never changed.
type Memory<D> = Map<string, WeakMap<object, D>>

const lowered: Memory<Lowered.DescribedSchema> = new Map()
const kept: Memory<DescribedSchema> = new Map()

/** Descriptions for different readers differ. */
function memoryOf<D>(memory: Memory<D>, { side, audience }: DocumentedOptions): WeakMap<object, D> {
  const key = audience == null ? side : `${side} ${JSON.stringify(audience)}`
  const found = memory.get(key) ?? new WeakMap<object, D>()
  memory.set(key, found)
  return found
}

/**
 * Like `describeSchema`, but describes each schema of a library only once. Callers must not change the
 * result.
 */
export function describeOnce(
  schema: Schema | object,
  options: DocumentedOptions,
): Lowered.DescribedSchema {
  if (!isConstant(schema, options)) return describeSchema(schema, options)
  const memory = memoryOf(lowered, options)
  const described = memory.get(schema) ?? describeSchema(schema, options)
  memory.set(schema, described)
  return described
}

/** Like {@link describeOnce}, with JSON Schema 2020-12. */
export function describeKeptOnce(
  schema: Schema | object,
  options: DocumentedOptions,
): DescribedSchema {
  if (!isConstant(schema, options)) return describeKept(schema, options)
  const memory = memoryOf(kept, options)
  const described = memory.get(schema) ?? describeKept(schema, options)
  memory.set(schema, described)
  return described
}
