import { createHash, randomBytes } from 'node:crypto'

/** 32 bytes as base64url. */
const FORM = /^[\w-]{43}$/

/** Makes the id of a session: 256 random bits. */
export function newSessionId(): string {
  return randomBytes(32).toString('base64url')
}

/** The digest of an id, under which stores keep its session; `null` for a text that is not an id. */
export function digestOf(id: string): string | null {
  return FORM.test(id) ? createHash('sha256').update(id).digest('base64url') : null
}
