import type { Problem } from '../../../plugin/index.js'

/** Creates the problem for an option with an invalid value. */
export function invalid(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject, cause, remedy }
}
