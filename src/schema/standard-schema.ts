import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ValidationIssue, ValidationResult, Validator } from '../contracts/schema.js'
import { boundStandard } from './bounded/bound-standard.js'
import { MAX_ISSUES } from './max-issues.js'
import { zodValidate } from './zod-validate.js'

/**
 * Calls a Standard Schema; the answer is synchronous when the schema's is.
 *
 * @param quick What is quicker than the schema's own `validate`, and answers the same.
 */
export function standardValidator(
  schema: StandardSchemaV1,
  quick?: StandardSchemaV1.Props['validate'],
): Validator {
  // Which way is safe is found by a walk through the schema, which a start would do for all routes.
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

/** Not `instanceof`: a promise of another realm taken for a result would pass as one without issues. */
function isPromise<T>(result: T | Promise<T>): result is Promise<T> {
  return typeof (result as Promise<T>).then === 'function'
}

function toResult(result: StandardSchemaV1.Result<unknown>): ValidationResult {
  if (result.issues === undefined) return { value: result.value }
  const issues: ValidationIssue[] = []
  // Not `slice`: arktype's list is a subclass of Array that is made of something else than a length.
  for (const issue of result.issues) {
    if (issues.push(toIssue(issue)) === MAX_ISSUES) break
  }
  return { issues }
}

function toIssue({ path, message }: StandardSchemaV1.Issue): ValidationIssue {
  const steps: PropertyKey[] = []
  // Not `path.map`: arktype's path is a subclass of Array whose empty `map` holds a 0. Not `Array.from` with a function,
  // which took half as long as all that zod does to refuse an order with ten wrong fields.
  for (const step of path ?? []) steps.push(typeof step === 'object' ? step.key : step)
  return { path: steps, message }
}
