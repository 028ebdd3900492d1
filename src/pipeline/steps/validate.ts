import type { Response } from '../../contracts/handler.js'
import type {
  FieldError,
  InputSource,
  ValidationIssue,
  ValidationResult,
  Validator,
} from '../../contracts/schema.js'
import { refuse } from '../../errors/refuse.js'
import type { BlazonRequest } from '../../http/request.js'
import { MAX_ISSUES } from '../../schema/work-limit.js'
import { Refusal } from '../../step/refusal.js'
import { isThenable, type Step, type StepFactory } from '../../step/step.js'
import { type Declares, genericErrors, limitErrors } from '../field-errors.js'

/** A part of the request and the schema that it must satisfy. */
export interface CompiledInput {
  readonly source: InputSource
  readonly validate: Validator
  /**
   * The check for names in the schema, if errors must not repeat data from the request; `null` if errors contain the
   * messages of the schema library.
   */
  readonly declares: Declares | null
}

/**
 * Validates all parts of the request that have a schema. Then replaces each part, except for the headers, with the
 * output of its schema.
 */
export function validateStage(
  inputs: readonly CompiledInput[],
  config: ValidateConfig,
): StepFactory {
  return (next) => validateStep(inputs, config, next)
}

/** The settings of the `validate` step. */
export interface ValidateConfig {
  /** The response status for a request that a schema rejects. */
  readonly validationStatus: number
}

function validateStep(
  inputs: readonly CompiledInput[],
  { validationStatus: status }: ValidateConfig,
  next: Step,
): Step {
  return function validateInputs(req, res) {
    const results: (ValidationResult | Promise<ValidationResult>)[] = []
    let isSettled = true
    for (const { source, validate } of inputs) {
      const result = attempt(validate, req[source])
      if (isThenable(result)) isSettled = false
      results.push(result)
    }
    if (isSettled) return settle(results as ValidationResult[], req, res)
    return Promise.all(results).then((settled) => settle(settled, req, res))
  }
  function settle(
    results: readonly ValidationResult[],
    req: BlazonRequest,
    res: Response,
  ): unknown {
    for (const { issues } of results) {
      if (issues !== undefined) {
        return new Refusal(refused(status, errorsOf(inputs, results, req)))
      }
    }
    accept(req, inputs, results)
    return next(req, res)
  }
}

/**
 * Converts an error that a validator throws to a rejection. Otherwise, the promise of another validator would not be
 * handled, and an unhandled rejection ends the process.
 */
function attempt(validate: Validator, value: unknown): ReturnType<Validator> {
  try {
    return validate(value)
  } catch (error) {
    return Promise.reject(error)
  }
}

function accept(
  req: BlazonRequest,
  inputs: readonly CompiledInput[],
  results: readonly ValidationResult[],
): void {
  const validated: Record<InputSource, unknown> = {
    params: undefined,
    body: undefined,
    query: undefined,
    headers: undefined,
    cookies: undefined,
  }
  for (let i = 0; i < inputs.length; i++) {
    const { source } = inputs[i] as CompiledInput
    const { value } = results[i] as { value: unknown }
    validated[source] = value
    // `req.headers` is not changed, because Node and middlewares read it.
    if (source !== 'headers') req[source] = value as never
  }
  req.validated = validated
}

function refused(status: number, errors: readonly FieldError[]): Error {
  return refuse('VALIDATION_FAILED', 'Validation failed', { status, errors: limitErrors(errors) })
}

function errorsOf(
  inputs: readonly CompiledInput[],
  results: readonly ValidationResult[],
  req: BlazonRequest,
): FieldError[] {
  const errors: FieldError[] = []
  for (let i = 0; i < inputs.length; i++) {
    const { issues } = results[i] as ValidationResult
    if (issues !== undefined) addFieldErrors(errors, inputs[i] as CompiledInput, { issues, req })
  }
  return errors
}

interface Refused {
  readonly issues: readonly ValidationIssue[]
  readonly req: BlazonRequest
}

function addFieldErrors(
  errors: FieldError[],
  { source, declares }: CompiledInput,
  { issues, req }: Refused,
): void {
  const first = issues.length > MAX_ISSUES ? issues.slice(0, MAX_ISSUES) : issues
  if (declares !== null) {
    errors.push(...genericErrors(first, { source, value: req[source], declares }))
    return
  }
  for (const { path, message } of first) errors.push({ in: source, path: joined(path), message })
}

/**
 * `path.map(String).join('.')` is not used, because creating two lists per issue took as long as the rest of this file.
 */
function joined(path: readonly PropertyKey[]): string {
  let text = ''
  for (let i = 0; i < path.length; i++) text += i === 0 ? String(path[i]) : `.${String(path[i])}`
  return text
}
