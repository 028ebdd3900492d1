import type { OutgoingHttpHeaders } from 'node:http'

type HeaderValue = OutgoingHttpHeaders[string]

/** Returns the members of a list header, which may be sent in one line or in several. */
export function membersOf(value: HeaderValue): string[] {
  return textOf(value)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** Returns a header as one line. Several lines have the same meaning (RFC 9110, 5.3). */
export function textOf(value: HeaderValue): string {
  return Array.isArray(value) ? value.join(', ') : String(value ?? '')
}
