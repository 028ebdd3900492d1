import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ValidationIssue, ValidationResult, Validator } from '../contracts/schema.js'
import { MAX_ISSUES } from './max-issues.js'

/**
 * Creates a validator that calls the `validate` of a Standard Schema. The result is a promise only if that function
 * returns one.
 */
export function fromStandard(run: StandardSchemaV1.Props['validate']): Validator {
  return function validate(value) {
    const result = run(value)
    return isPromise(result) ? Promise.resolve(result).then(toResult) : toResult(result)
  }
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
