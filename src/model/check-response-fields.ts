import type { Problem } from '../errors/config-error.js'
import { invalid, shown } from '../errors/invalid.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'

const MODES: readonly unknown[] = ['send', 'strip', 'check']

/** Checks the argument of `@ResponseFields` on a class or a method. */
export function checkResponseFields(subject: string, facts: FactsByKind): Problem[] {
  return factsOf(facts, 'responseFields')
    .filter(({ mode }) => !MODES.includes(mode))
    .map(({ mode }) => {
      const cause = `@ResponseFields was given ${shown(mode)}, which is not a mode.`
      return invalid(subject, cause, "Give 'send', 'strip' or 'check'.")
    })
}
