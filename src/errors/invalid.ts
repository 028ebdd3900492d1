import type { Problem } from './config-error.js'

/** Builds the problem of an option, or of a decorator's argument, whose value is invalid. */
export function invalid(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject, cause, remedy }
}

/** Formats a value for a message: text in quotes, any other value by `String`. Never throws. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  try {
    return String(value)
  } catch {
    return 'an object without a text'
  }
}
