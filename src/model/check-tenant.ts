import { inspect } from 'node:util'
import type { Problem } from '../errors/config-error.js'
import { invalid } from '../errors/invalid.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'

/** Checks the options of `@Tenant` on a class or a method. */
export function checkTenant(subject: string, facts: FactsByKind): Problem[] {
  return factsOf(facts, 'tenant')
    .filter(({ options }) => !isValid(options))
    .map(({ options }) => {
      const given = inspect(options, { breakLength: Infinity })
      const remedy = 'Write @Tenant(), or @Tenant({ optional: true }).'
      return invalid(subject, `@Tenant was given ${given}, which is not a valid option.`, remedy)
    })
}

function isValid(options: unknown): boolean {
  if (typeof options !== 'object' || options === null) return false
  const { optional, ...rest } = options as Record<string, unknown>
  return [undefined, true, false].includes(optional as undefined) && Object.keys(rest).length === 0
}
