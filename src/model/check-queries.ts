import { invalid, type Problem, shown } from '../errors/config-error.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'

/** Checks the `@Queries` of one method, or of one class without its base classes. */
export function checkQueries(subject: string, facts: FactsByKind): Problem[] {
  return factsOf(facts, 'queries')
    .filter(({ most }) => !Number.isSafeInteger(most) || most < 0)
    .map(({ most }) =>
      invalid(
        `${subject} @Queries`,
        `${shown(most)} is not a valid number of statements.`,
        'Write @Queries(3): a whole number, or 0.',
      ),
    )
}
