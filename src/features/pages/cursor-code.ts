import { createHash } from 'node:crypto'
import type { CursorValue } from '../../contracts/pages.js'
import { sign, unsign } from '../../http/signed-cookie.js'
import { LONGEST_CURSOR } from './query-fields.js'

/** The way in which an application writes and reads cursors. */
export interface CursorSettings {
  /** The first key signs; all of them verify. */
  readonly keys: readonly string[]
  /** Returns the time, in milliseconds. */
  readonly now: () => number
}

/** Returns a short text for everything that a cursor belongs to. Equal values have equal texts, in any order of keys. */
export function bindingOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts, sorted)).digest('base64url')
}

/**
 * Writes a cursor.
 *
 * @throws TypeError if the values are too long for a URL.
 */
export function writeCursor(
  values: readonly CursorValue[],
  binding: string,
  { keys, now }: CursorSettings,
): string {
  const content = JSON.stringify([Math.floor(now() / 1000), ...values])
  const text = sign(nameOf(binding), Buffer.from(content).toString('base64url'), keys[0] as string)
  if (text.length <= LONGEST_CURSOR) return text
  throw new TypeError(
    `The values of the order are too long for a cursor: ${text.length} characters, at most ${LONGEST_CURSOR}. Order by shorter fields.`,
  )
}

/** Reads the values of a cursor; `undefined` if it was changed, is too old, or belongs to another binding. */
export function readCursor(
  text: string,
  { binding, maxAgeSeconds }: { readonly binding: string; readonly maxAgeSeconds: number },
  { keys, now }: CursorSettings,
): CursorValue[] | undefined {
  const signature = text.slice(text.lastIndexOf('.') + 1)
  // Node also decodes other spellings of the same bytes.
  if (Buffer.from(signature, 'base64url').toString('base64url') !== signature) return undefined
  const content = unsign(nameOf(binding), text, keys)
  if (content === undefined) return undefined
  // It has our signature, so `writeCursor` has written it.
  const [issued, ...values] = JSON.parse(
    Buffer.from(content, 'base64url').toString(),
  ) as CursorValue[]
  return Math.floor(now() / 1000) - Number(issued) <= maxAgeSeconds ? values : undefined
}

/**
 * The signature of a cursor is not valid for a cookie, because no cookie can have this name (RFC 6265, section 4.1.1).
 */
function nameOf(binding: string): string {
  return `cursor ${binding}`
}

function sorted(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
