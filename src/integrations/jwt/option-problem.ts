import type { Problem } from '../../plugin/index.js'

/** Creates the problem for an option of `jwt` with an invalid value. */
export function invalid(option: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject: `jwt: ${option}`, cause, remedy }
}
