import type { ValidationIssue, ValidationResult, Validator } from '../contracts/schema.js'

/**
 * Refuses texts that a schema has read as `NaN` or as an infinity: `v.toNumber()`, arktype's `string.numeric.parse` and a `transform(Number)`
 * make `Infinity` of `1e400`, or of 400 digits. What a schema makes of other texts on purpose stays: `Infinity` of `unlimited`.
 *
 * @param mayOverflow Asked with the first value, whether the schema can do that at all.
 */
export function withFiniteNumbers(validate: Validator, mayOverflow: () => boolean): Validator {
  let isNeeded: boolean | undefined
  return function validateText(sent) {
    const result = validate(sent)
    isNeeded ??= mayOverflow()
    if (!isNeeded) return result
    // One of our own making: see `standardValidator`.
    if (result instanceof Promise) return result.then((settled) => refuse(settled, sent))
    return refuse(result, sent)
  }
}

function refuse(result: ValidationResult, sent: unknown): ValidationResult {
  if (result.issues !== undefined) return result
  const issues = overflows({ made: result.value, sent, path: [] })
  return issues.length === 0 ? result : { issues }
}

interface Place {
  readonly made: unknown
  readonly sent: unknown
  readonly path: readonly string[]
}

function overflows({ made, sent, path }: Place): ValidationIssue[] {
  if (typeof made === 'number') {
    const isLost =
      typeof sent === 'string' && !Number.isFinite(made) && Object.is(made, Number(sent))
    return isLost ? [{ path, message: 'must be a finite number' }] : []
  }
  if (!isHolder(sent) || !isHolder(made)) return []
  // What was sent has an end; what was made of it may contain itself.
  return Object.keys(sent).flatMap((name) =>
    overflows({ made: made[name], sent: sent[name], path: [...path, name] }),
  )
}

function isHolder(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
