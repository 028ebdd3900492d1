/** An option that cannot be what it is. */
import type { Problem } from '../../../index.js'
export function invalid(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject, cause, remedy }
}
