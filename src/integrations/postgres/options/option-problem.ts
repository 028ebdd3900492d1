import type { Problem } from '../../../index.js'

/** An option that cannot be what it is. */
export function invalid(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject, cause, remedy }
}
