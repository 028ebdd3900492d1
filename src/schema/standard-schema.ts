import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ValidationIssue, ValidationResult, Validator } from '../contracts/schema.js'
import { boundStandard } from './bounded/bound-standard.js'
import { MAX_ISSUES } from './max-issues.js'
import { zodValidate } from './zod-validate.js'

/**
 * Creates a validator that calls a Standard Schema. The result is a promise only if the schema returns one.
 *
 * @param quick A faster function with the same results as the `validate` of the schema.
 */
export function standardValidator(
  schema: StandardSchemaV1,
  quick?: StandardSchemaV1.Props['validate'],
): Validator {
  // The safe function depends on a walk through the whole schema. That walk happens at the first value,
  // because doing it for all routes would delay the boot.
  let run: StandardSchemaV1.Props['validate'] = function decide(value) {
    run = zodValidate(schema) ?? quick ?? boundedValidate(schema)
    return run(value)
  }
  return function validate(value) {
    const result = run(value)
    return isPromise(result) ? Promise.resolve(result).then(toResult) : toResult(result)
  }
}

function boundedValidate(schema: StandardSchemaV1): StandardSchemaV1.Props['validate'] {
  const { validate } = boundStandard(schema)['~standard']
  return validate
}

/**
 * Not `instanceof`: it is false for a promise of another realm. Taken for a result, such a promise has no
 * `issues`, so the value would pass.
 */
function isPromise<T>(result: T | Promise<T>): result is Promise<T> {
  return typeof (result as Promise<T>).then === 'function'
}

function toResult(result: StandardSchemaV1.Result<unknown>): ValidationResult {
  if (result.issues === undefined) return { value: result.value }
  const issues: ValidationIssue[] = []
  // Not `slice`: arktype's list is a subclass of `Array`, and `slice` would call its constructor with a
  // length, which it does not accept.
  for (const issue of result.issues) {
    if (issues.push(toIssue(issue)) === MAX_ISSUES) break
  }
  return { issues }
}

function toIssue({ path, message }: StandardSchemaV1.Issue): ValidationIssue {
  const steps: PropertyKey[] = []
  // Not `path.map`: arktype's path is a subclass of `Array`, and its `map` adds a 0 to an empty path. Not
  // `Array.from` with a function: for an order with ten wrong fields it took half as long as the whole
  // validation by zod.
  for (const step of path ?? []) steps.push(typeof step === 'object' ? step.key : step)
  return { path: steps, message }
}
