import type { Problem } from '../../../errors/config-error.js'

/** An option that cannot be what it is. */
export function invalid(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject, cause, remedy }
}
