import { invalid, type Problem, shown } from '../errors/config-error.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'

const MODES: readonly unknown[] = ['send', 'strip', 'check']

/** The remedy for a value that is not a mode. */
export const GIVE_MODE = "Pass 'send', 'strip' or 'check'."

/** Whether a value is a valid mode for the `responses` option and `@ResponseFields`. */
export function isFieldsMode(value: unknown): boolean {
  return MODES.includes(value)
}

/** Checks the argument of `@ResponseFields` on a class or a method. */
export function checkResponseFields(subject: string, facts: FactsByKind): Problem[] {
  return factsOf(facts, 'responseFields')
    .filter(({ mode }) => !isFieldsMode(mode))
    .map(({ mode }) => {
      const cause = `@ResponseFields was given ${shown(mode)}, which is not a mode.`
      return invalid(subject, cause, GIVE_MODE)
    })
}
