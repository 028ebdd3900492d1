import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ValidationIssue, ValidationResult, Validator } from '../contracts/schema.js'

/** Calls a Standard Schema; the answer is synchronous when the schema's is. */
export function standardValidator(schema: StandardSchemaV1): Validator {
  const standard = schema['~standard']
  return function validate(value) {
    const result = standard.validate(value)
    return result instanceof Promise ? result.then(toResult) : toResult(result)
  }
}

function toResult(result: StandardSchemaV1.Result<unknown>): ValidationResult {
  if (result.issues === undefined) return result
  return { issues: result.issues.map(toIssue) }
}

function toIssue(issue: StandardSchemaV1.Issue): ValidationIssue {
  const path = issue.path?.map((step) => (typeof step === 'object' ? step.key : step)) ?? []
  return { path, message: issue.message }
}
