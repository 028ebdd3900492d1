import { createHash } from 'node:crypto'
import type { CursorValue } from '../../contracts/pages.js'
import { sign, unsign } from '../../http/signed-cookie.js'
import { LONGEST_CURSOR } from './query-fields.js'

/** The keys and the clock for the cursors of an application. */
export interface CursorSettings {
  /** The first key signs cursors. All keys verify cursors. */
  readonly keys: readonly string[]
  /** Returns the time, in milliseconds. */
  readonly now: () => number
}

/**
 * Returns a short string that identifies all data to which a cursor is bound. Equal values have equal strings,
 * regardless of the order of their keys.
 */
export function bindingOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts, sorted)).digest('base64url')
}

/**
 * Builds a cursor.
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
    `The values of the \`order\` fields are too long for a cursor: it would have ${text.length} characters, but at most ${LONGEST_CURSOR} are allowed. Order by shorter fields.`,
  )
}

/** Reads the values of a cursor; `undefined` if the cursor was modified, is too old, or belongs to another list. */
export function readCursor(
  text: string,
  { binding, maxAgeSeconds }: { readonly binding: string; readonly maxAgeSeconds: number },
  { keys, now }: CursorSettings,
): CursorValue[] | undefined {
  const signature = text.slice(text.lastIndexOf('.') + 1)
  // Node also accepts other encodings of the same bytes. Only the encoding that `writeCursor` uses is valid.
  if (Buffer.from(signature, 'base64url').toString('base64url') !== signature) return undefined
  const content = unsign(nameOf(binding), text, keys)
  if (content === undefined) return undefined
  // The signature is valid, so `writeCursor` created the cursor.
  const [issued, ...values] = JSON.parse(
    Buffer.from(content, 'base64url').toString(),
  ) as CursorValue[]
  return Math.floor(now() / 1000) - Number(issued) <= maxAgeSeconds ? values : undefined
}

/**
 * Returns the name that is signed with a cursor. No cookie can have this name (RFC 6265, section 4.1.1), so the
 * signature of a cursor is not valid for a cookie.
 */
function nameOf(binding: string): string {
  return `cursor ${binding}`
}

function sorted(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
