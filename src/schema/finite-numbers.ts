import type { ValidationIssue, ValidationResult, Validator } from '../contracts/schema.js'

/**
 * Refuses text that a schema converted to `NaN` or an infinity. For example, `v.toNumber()`, arktype's
 * `string.numeric.parse` and `transform(Number)` convert `1e400`, or 400 digits, to `Infinity`. An infinity
 * that the schema returns for other text on purpose stays, for example for `unlimited`.
 *
 * @param mayOverflow Called once, at the first value. Returns whether the schema can produce such a number at
 * all.
 */
export function withFiniteNumbers(validate: Validator, mayOverflow: () => boolean): Validator {
  let isNeeded: boolean | undefined
  return function validateText(sent) {
    const result = validate(sent)
    isNeeded ??= mayOverflow()
    if (!isNeeded) return result
    // `compileStandard` makes validators that return a native promise, so `instanceof` is safe here.
    if (result instanceof Promise) return result.then((settled) => refuse(settled, sent))
    return refuse(result, sent)
  }
}

function refuse(result: ValidationResult, sent: unknown): ValidationResult {
  if (result.issues !== undefined) return result
  const issues = overflows({ made: result.value, sent, path: [] })
  return issues.length === 0 ? result : { issues }
}

interface ComparedNumbers {
  readonly made: unknown
  readonly sent: unknown
  readonly path: readonly string[]
}

function overflows({ made, sent, path }: ComparedNumbers): ValidationIssue[] {
  if (typeof made === 'number') {
    const isLost =
      typeof sent === 'string' && !Number.isFinite(made) && Object.is(made, Number(sent))
    return isLost ? [{ path, message: 'must be a finite number' }] : []
  }
  if (!isHolder(sent) || !isHolder(made)) return []
  // The walk follows the keys of the sent value, which is finite. The converted value may contain itself.
  return Object.keys(sent).flatMap((name) =>
    overflows({ made: made[name], sent: sent[name], path: [...path, name] }),
  )
}

function isHolder(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
