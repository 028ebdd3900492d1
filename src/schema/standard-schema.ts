import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Validator } from '../contracts/schema.js'
import { boundStandard } from './bounded/bound-standard.js'
import { fromStandard } from './from-standard.js'
import { zodValidate } from './zod-validate.js'

/**
 * Creates a validator that calls a Standard Schema. The result is a promise only if the schema returns one.
 *
 * @param quick A faster function with the same results as the `validate` of the schema.
 */
export function standardValidator(schema: StandardSchemaV1, quick?: Validator): Validator {
  // The safe function depends on a walk through the whole schema. That walk happens at the first value,
  // because doing it for all routes would delay the boot.
  let run: Validator = function decide(value) {
    const safe = zodValidate(schema)
    run = safe === undefined && quick ? quick : fromStandard(safe ?? boundedValidate(schema))
    return run(value)
  }
  return (value) => run(value)
}

function boundedValidate(schema: StandardSchemaV1): StandardSchemaV1.Props['validate'] {
  const { validate } = boundStandard(schema)['~standard']
  return validate
}
