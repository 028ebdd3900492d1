import type { ParameterDefinition } from '../../contracts/extensions.js'
import type {
  FieldError,
  InputSource,
  ValidationIssue,
  ValidationResult,
  Validator,
} from '../../contracts/schema.js'
import { refuse } from '../../errors/refuse.js'
import type { BlazonRequest } from '../../http/request.js'
import { kIsExpired } from '../../http/symbol-fields.js'
import { ownValue } from '../../schema/keyed-validator.js'
import { isThenable, type StepFactory, whenSettled } from '../../step/step.js'
import { type Declares, genericErrors, limitErrors } from '../field-errors.js'

/** A parameter that was created with `defineParameter`, with its compiled schema. */
export interface CompiledParameter {
  readonly definition: ParameterDefinition
  /** Validates an object that contains the value under the parameter's name; `null` without a schema. */
  readonly check: ParameterCheck | null
}

/** The schema of a parameter, as a validator for an object that contains only this parameter. */
export interface ParameterCheck {
  readonly source: InputSource
  readonly name: string
  readonly validate: Validator
  readonly declares: Declares | null
  /** The response status for a value that the schema rejects. */
  readonly status: number
}

/**
 * Calls the `defineParameter` functions of a route in order, so that a function can use the values of earlier
 * parameters. The request fails at the first value that its schema rejects. The error is thrown, because interceptors
 * wrap this step.
 */
export function parametersStage(parameters: readonly CompiledParameter[]): StepFactory {
  return (next) =>
    function readParameters(req, res) {
      const pending = readFrom(0, parameters, req)
      if (pending === undefined) return next(req, res)
      return pending.then(() => (req[kIsExpired] ? res : next(req, res)))
    }
}

function readFrom(
  start: number,
  parameters: readonly CompiledParameter[],
  req: BlazonRequest,
): Promise<void> | undefined {
  for (let index = start; index < parameters.length; index++) {
    const parameter = parameters[index] as CompiledParameter
    const value = parameter.definition.read(req)
    const pending = isThenable(value)
      ? whenSettled(value, (settled) => store(settled, parameter, req))
      : store(value, parameter, req)
    if (pending !== undefined) return pending.then(() => readFrom(index + 1, parameters, req))
  }
  return undefined
}

/** Stores a value, or the schema's output for it. */
function store(
  value: unknown,
  { definition, check }: CompiledParameter,
  req: BlazonRequest,
): Promise<void> | undefined {
  if (check === null) {
    definition.values.set(req, value)
    return undefined
  }
  const sent = { [check.name]: value }
  const settle = (result: ValidationResult): void => {
    if (result.issues !== undefined) throw rejection(result.issues, check, sent)
    definition.values.set(req, ownValue(result.value, check.name))
  }
  const result = check.validate(sent)
  if (isThenable(result)) return whenSettled(result, settle)
  settle(result)
  return undefined
}

function rejection(
  issues: readonly ValidationIssue[],
  { source, declares, status }: ParameterCheck,
  sent: object,
): Error {
  const errors =
    declares === null
      ? issues.map(
          ({ path, message }): FieldError => ({
            in: source,
            path: path.map(String).join('.'),
            message,
          }),
        )
      : genericErrors(issues, { source, value: sent, declares })
  return refuse('VALIDATION_FAILED', 'Validation failed', { status, errors: limitErrors(errors) })
}
