import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Validator } from '../contracts/schema.js'
import { type BoundSchema, loadBound } from './bounded/bound-standard.js'
import { compileZod } from './compile-zod.js'
import { fromStandard } from './from-standard.js'
import { KeyedSchema } from './keyed-schema.js'
import { isStandard } from './validate-now.js'
import { hasUserCode, zodValidate } from './zod-validate.js'

/** Creates a validator that calls a Standard Schema. The result of the validator is a promise only if the schema returns one. */
export async function compileStandard(schema: StandardSchemaV1): Promise<Validator> {
  // A faster function with the same results as the `validate` of the schema.
  const quick = await compileZod(schema)
  const bound = await loadBound(schema['~standard'].vendor)
  // The safe function depends on a walk through the whole schema. That walk happens at the first value,
  // because doing it for all routes would delay the boot.
  let run: Validator = function decide(value) {
    const safe = zodValidate(schema)
    run = safe === undefined && quick ? quick : fromStandard(safe ?? boundedValidate(schema, bound))
    return run(value)
  }
  return (value) => run(value)
}

function boundedValidate(
  schema: StandardSchemaV1,
  bound: BoundSchema,
): StandardSchemaV1.Props['validate'] {
  const { validate } = bound(schema)['~standard']
  return validate
}

/** Zod itself refuses `NaN` and infinities. Only a user function in a zod schema can produce them. */
export function mayOverflow(schema: StandardSchemaV1): boolean {
  if (schema instanceof KeyedSchema) {
    const parts = Object.values(schema.entries)
    return parts.some((part) => part !== null && isStandard(part) && mayOverflow(part))
  }
  return schema['~standard'].vendor !== 'zod' || hasUserCode(schema)
}
