import type { Problem } from '../../errors/config-error.js'

/** Builds the problem of a variable, or of all of them. It never holds a value. */
export function envProblem(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_ENV_INVALID', subject, cause, remedy }
}
