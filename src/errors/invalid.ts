import type { Problem } from './config-error.js'

/** Builds the problem of an option, or of a decorator's argument, whose value is invalid. */
export function invalid(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject, cause, remedy }
}

/** Formats a value for a message: text in quotes, any other value by `String`. */
export function shown(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}
