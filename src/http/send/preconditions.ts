import type { Request } from '../../contracts/handler.js'

/** The values to compare with the conditions of a request. */
export interface Validators {
  /** The `ETag` header; `null` if there is none. */
  readonly etag: string | null
  readonly lastModified: Date | null
}

/**
 * Whether `If-Match`, or `If-Unmodified-Since` if there is no `If-Match`, results in a 412 response (RFC 9110, 13.2.2).
 */
export function failsPrecondition(
  { headers }: Pick<Request, 'headers'>,
  { etag, lastModified }: Validators,
): boolean {
  const { 'if-match': match, 'if-unmodified-since': since } = headers
  if (match !== undefined) return match.trim() !== '*' && !tagsIn(match).some(isSame(etag))
  const limit = Date.parse(since ?? '')
  // An invalid date counts as absent.
  return lastModified !== null && !Number.isNaN(limit) && secondsOf(lastModified) > limit
}

/**
 * Whether the client already has the content, so that it receives a 304 response (RFC 9110, 13.1.2 and 13.1.3). The
 * request header `Cache-Control: no-cache`, which `fetch` adds to every conditional request, applies only to caches and
 * is ignored here.
 */
export function isNotModified(
  { headers }: Pick<Request, 'headers'>,
  { etag, lastModified }: Validators,
): boolean {
  const { 'if-none-match': none, 'if-modified-since': since } = headers
  if (none !== undefined) {
    return none.trim() === '*' || (etag !== null && tagsIn(none).map(opaque).includes(opaque(etag)))
  }
  return lastModified !== null && secondsOf(lastModified) <= Date.parse(since ?? '')
}

/**
 * Whether the parts that the client already has come from exactly this content, so that it can add another part (RFC
 * 9110, 13.1.5). The result is true without `If-Range`.
 */
export function matchesIfRange(
  { headers }: Pick<Request, 'headers'>,
  { etag, lastModified }: Validators,
): boolean {
  const { 'if-range': condition } = headers
  if (typeof condition !== 'string') return true
  if (condition.includes('"')) return isSame(etag)(condition.trim())
  return lastModified !== null && Date.parse(condition) === secondsOf(lastModified)
}

function tagsIn(list: string): string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? []
}

/** Returns the part of a tag that is relevant in a weak comparison (RFC 9110, 8.8.3.2). */
function opaque(tag: string): string {
  return tag.replace(/^W\//, '')
}

/** Returns a function for the strong comparison, in which a weak tag never matches (RFC 9110, 8.8.3.2). */
function isSame(etag: string | null): (tag: string) => boolean {
  return (tag) => tag === etag && !tag.startsWith('W/')
}

/** Returns the time in milliseconds, rounded to seconds, because HTTP dates have no fractions of a second. */
function secondsOf(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000
}

/** Byte positions, starting at 0. Both are inclusive. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Reads the `Range` header (RFC 9110, 14.1.2). A header that is malformed, has another unit or has several ranges is
 * ignored, as the standard allows. The result is then `null`, which means the whole content.
 *
 * @param length The number of bytes of the content.
 */
export function readRange(
  header: string | undefined,
  length: number,
): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? []
  if (first === '') return last === '' ? null : suffix(Number(last), length)
  const start = Number(first)
  const end = last === '' ? length - 1 : Math.min(Number(last), length - 1)
  if (last !== '' && start > Number(last)) return null
  return start < length ? { start, end } : 'unsatisfiable'
}

/**
 * Returns the range of the last bytes, or of all bytes if there are fewer. `Content-Range` cannot express a range of
 * empty content.
 */
function suffix(count: number, length: number): ByteRange | 'unsatisfiable' | null {
  if (count === 0) return 'unsatisfiable'
  return length === 0 ? null : { start: Math.max(0, length - count), end: length - 1 }
}
