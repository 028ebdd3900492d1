import type { ValidationIssue, ValidationResult, Validator } from '../contracts/schema.js'
import { setOwn } from './set-own.js'
import { MAX_ISSUES } from './work-limit.js'

/** One key of an object, and the validator of its value. A `null` validator accepts every value. */
export interface KeyedMember {
  readonly key: string
  readonly validate: Validator | null
}

/**
 * Creates a validator for an object from the validators of its values. A missing value is validated as `undefined`.
 *
 * @param isOpen Whether other keys are kept, with their values unchanged. Otherwise, they are dropped.
 */
export function keyedValidator(members: readonly KeyedMember[], isOpen: boolean): Validator {
  return function validateKeys(value) {
    if (!isRecord(value)) return { issues: [{ path: [], message: 'must be an object' }] }
    const results = members.map(({ key, validate }) => attempt(validate, ownValue(value, key)))
    const rest = isOpen ? value : {}
    return results.some((result) => result instanceof Promise)
      ? Promise.all(results).then((settled) => join(members, settled, rest))
      : join(members, results as ValidationResult[], rest)
  }
}

/**
 * Returns the value of an own property. A body can contain a key that is also the name of an inherited property, such
 * as `toString`.
 */
export function ownValue(holder: unknown, key: string): unknown {
  const isHolder = typeof holder === 'object' && holder !== null && Object.hasOwn(holder, key)
  return isHolder ? (holder as Record<string, unknown>)[key] : undefined
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Calls a validator, and converts a thrown error to a rejection. If the error were thrown, the promise of another key
 * would stay unhandled.
 */
function attempt(validate: Validator | null, value: unknown): ReturnType<Validator> {
  if (validate === null) return { value }
  try {
    const result = validate(value)
    // Converts the promise to a native promise of this realm. A promise from another realm would not be recognized.
    return 'then' in result ? Promise.resolve(result) : result
  } catch (error) {
    return Promise.reject(error)
  }
}

function join(
  members: readonly KeyedMember[],
  results: readonly ValidationResult[],
  rest: Readonly<Record<string, unknown>>,
): ValidationResult {
  const issues: ValidationIssue[] = []
  const made: Record<string, unknown> = { ...rest }
  for (const [index, { key }] of members.entries()) {
    const { value, issues: found = [] } = results[index] as { value?: unknown } & ValidationResult
    for (const { path, message } of found) issues.push({ path: [key, ...path], message })
    if (value !== undefined) setOwn(made, key, value)
  }
  return issues.length > 0 ? { issues: issues.slice(0, MAX_ISSUES) } : { value: made }
}
