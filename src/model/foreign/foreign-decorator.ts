import type { Problem } from '../../errors/config-error.js'
import type { Finding } from './traces.js'

/**
 * The problem of a decorator that never runs.
 *
 * @param from The class that carries the decorator, if the subject only inherits it.
 */
export function foreignDecorator(subject: string, finding: Finding, from?: string): Problem {
  const { written, by, parameter, effect = 'which Blazon never runs', remedy } = finding
  const where = parameter === undefined ? '' : ` on parameter ${parameter}`
  const verb = from === undefined ? 'has' : 'inherits'
  const origin = from === undefined ? '' : ` from ${from}`
  const cause = `It ${verb} ${written} of ${by}${where}${origin}, ${effect}.`
  return { code: 'E_FOREIGN_DECORATOR', subject, cause, remedy }
}
