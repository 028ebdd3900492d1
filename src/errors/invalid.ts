import type { Problem } from './config-error.js'

/** Builds the problem of an option, or of a decorator's argument, whose value is impossible. */
export function invalid(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_OPTION_INVALID', subject, cause, remedy }
}

/** Writes a value into a message: text in quotes, all else as `String` writes it. */
export function shown(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}
