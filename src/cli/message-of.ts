import { inspect } from 'node:util'

/** The text of a thrown value, which may be of any type. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name
  return typeof error === 'string' ? error : inspect(error, { depth: 1, breakLength: 100 })
}
