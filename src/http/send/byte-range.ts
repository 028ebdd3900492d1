/** Positions of bytes, counted from 0. Both belong to the range. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Reads the `Range` header (RFC 9110, 14.1.2). A header that cannot be read, that has another unit, or that has several
 * ranges, is ignored as the standard allows: `null` means the whole content.
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

/** The last bytes. All of them, if there are fewer; a range of an empty content has no form in `Content-Range`. */
function suffix(count: number, length: number): ByteRange | 'unsatisfiable' | null {
  if (count === 0) return 'unsatisfiable'
  return length === 0 ? null : { start: Math.max(0, length - count), end: length - 1 }
}
