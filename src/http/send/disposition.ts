import type { Response } from '../../contracts/handler.js'

/** Control characters, and characters that change the direction of text: `\u202Efdp.exe` would look like `exe.pdf`. */
const HIDDEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** File systems take no longer names. */
const MAX_LENGTH = 255

/**
 * Sets `Content-Disposition` (RFC 6266, with RFC 8187 for characters outside of ASCII), and the media type that follows
 * from the extension of the name.
 */
export function setDisposition(res: Response, name: string | undefined, isInline: boolean): void {
  const clean = name === undefined ? undefined : cleanName(name)
  res.attachment(clean)
  if (!isInline) return
  const value = String(res.getHeader('Content-Disposition'))
  res.setHeader('Content-Disposition', value.replace(/^attachment/, 'inline'))
}

/** Returns the last part of a path as the name of a file that no client misunderstands. */
function cleanName(name: string): string {
  const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  // A half of a pair of surrogates has no form in UTF-8.
  const text = last
    .replace(HIDDEN, '')
    .slice(0, MAX_LENGTH)
    .replace(/\p{Surrogate}/gu, '\ufffd')
  return /^\.*$/.test(text.trim()) ? 'download' : text
}
