import type { FactOf } from '../contracts/facts.js'
import { invalid, type Problem } from '../errors/config-error.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'

/** Checks the options of `defineOption` on one class, without its base classes, or on one method. */
export function checkOptions(subject: string, facts: FactsByKind): Problem[] {
  const found = factsOf(facts, 'option')
  const problems: Problem[] = []
  for (const [place, { option, value, merge, check }] of found.entries()) {
    const label = `@${option.optionName}`
    const first = found.findIndex((each) => each.option === option)
    if (merge === 'override' && place > first) {
      const cause = `It has several ${label}; only one of them would be read.`
      const remedy = 'Remove all but one, or merge them.'
      problems.push({ code: 'E_DECORATOR_CONFLICT', subject, cause, remedy })
    }
    const wrong = mistakeIn(value, check)
    if (wrong === undefined) continue
    problems.push(invalid(`${subject} ${label}`, wrong, `Correct the argument of ${label}(…).`))
  }
  return problems
}

/** A `check` that throws has found a value that it does not expect: it is a mistake of the value, too. */
function mistakeIn(value: unknown, check: FactOf<'option'>['check']): string | undefined {
  try {
    return check?.(value as never)
  } catch (error) {
    return `Its check failed: ${error instanceof Error ? error.message : String(error)}`
  }
}
