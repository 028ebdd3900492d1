import type { Request } from '../../contracts/handler.js'

/** The values with which the conditions of a request are compared. */
export interface Validators {
  /** The `ETag` header; `null` if there is none. */
  readonly etag: string | null
  readonly lastModified: Date | null
}

/** Whether `If-Match`, or else `If-Unmodified-Since`, forbids the response: a 412 (RFC 9110, 13.2.2). */
export function failsPrecondition(
  { headers }: Pick<Request, 'headers'>,
  { etag, lastModified }: Validators,
): boolean {
  const { 'if-match': match, 'if-unmodified-since': since } = headers
  if (match !== undefined) return match.trim() !== '*' && !tagsIn(match).some(isSame(etag))
  const limit = Date.parse(since ?? '')
  // A date that cannot be read counts as absent.
  return lastModified !== null && !Number.isNaN(limit) && secondsOf(lastModified) > limit
}

/**
 * Whether the client already has the content, so that the response is a 304 (RFC 9110, 13.1.2 and 13.1.3). The request
 * header `Cache-Control: no-cache` applies only to caches, so it is ignored here; `fetch` adds it to every conditional
 * request.
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
 * Whether the client has a part of exactly this content, so that it can use another part of it (RFC 9110, 13.1.5).
 * Without `If-Range`, it is assumed.
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

/** The part of a tag that the weak comparison compares (RFC 9110, 8.8.3.2). */
function opaque(tag: string): string {
  return tag.replace(/^W\//, '')
}

/** The strong comparison: a weak tag never matches (RFC 9110, 8.8.3.2). */
function isSame(etag: string | null): (tag: string) => boolean {
  return (tag) => tag === etag && !tag.startsWith('W/')
}

/** The time in milliseconds, rounded to seconds, because HTTP dates have no fractions of a second. */
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
 * ignored, as the standard allows: `null` means the whole content.
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

/** The last bytes, or all bytes if there are fewer. `Content-Range` cannot express a range of empty content. */
function suffix(count: number, length: number): ByteRange | 'unsatisfiable' | null {
  if (count === 0) return 'unsatisfiable'
  return length === 0 ? null : { start: Math.max(0, length - count), end: length - 1 }
}
