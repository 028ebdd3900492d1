import type { OutgoingHttpHeaders } from 'node:http'

type HeaderValue = OutgoingHttpHeaders[string]

/** Members of a header that is a list, in one line or several. */
export function membersOf(value: HeaderValue): string[] {
  return textOf(value)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** A header as one line, which is what several mean (RFC 9110, 5.3). */
export function textOf(value: HeaderValue): string {
  return Array.isArray(value) ? value.join(', ') : String(value ?? '')
}
