import { inspect } from 'node:util'

/** What was thrown, as text: anything can be. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name
  return typeof error === 'string' ? error : inspect(error, { depth: 1, breakLength: 100 })
}
