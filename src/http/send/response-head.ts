import { ServerResponse } from 'node:http'
import type { Response } from '../../contracts/handler.js'
import { kAdded } from '../symbol-fields.js'
import { addHeaders } from './response-headers.js'
import type { OwnHeaders } from './wire-text.js'

/**
 * Sets the documented media type, unless the handler already set this type, possibly with parameters such as a charset.
 *
 * @param type A media type, which must not be a range.
 */
export function setDocumentedType(res: Response, type: string): void {
  if (essenceOf(res.get('Content-Type')) !== essenceOf(type)) res.setHeader('Content-Type', type)
}

/** Returns a media type without its parameters. */
function essenceOf(type = ''): string {
  return (type.split(';', 1)[0] as string).trim().toLowerCase()
}

/**
 * Sets a header of a response. `Vary`, `Set-Cookie` and `Link` are lists to which several parts of a program add
 * values, so the value is added to the existing values. For example, without the names that `cors` adds to `Vary`, a
 * cache would send the response to other origins. All other headers are replaced.
 */
export function joinHeader(res: Response, name: string, value: string | string[]): void {
  const key = name.toLowerCase()
  if (key === 'vary') res.vary(String(value))
  else if (key === 'set-cookie' || key === 'link') res.appendHeader(name, value)
  else res.setHeader(name, value)
}

const NAME = 'Cache-Control'
const NO_STORE = Object.freeze([NAME, 'no-store'])

/**
 * Forbids storing the response to a request with a credential (RFC 9111, 5.2.2.5), unless the application sets another
 * caching rule: a `Cache-Control` header that was set earlier, or is set later, replaces this header.
 */
export function forbidStoring(res: Response): void {
  const added = (res as Response & Partial<OwnHeaders>)[kAdded] ?? null
  if (added === null || !added.includes(NAME)) addHeaders(res, NO_STORE)
}

/**
 * Whether {@link forbidStoring} was called for a response. The application may have set another caching rule since
 * then.
 */
export function isForPerson(res: Response): boolean {
  const added = (res as Response & Partial<OwnHeaders>)[kAdded] ?? null
  const index = added === null ? -1 : added.indexOf(NAME)
  return added?.[index + 1] === NO_STORE[1]
}

/** Whether a response has `no-store` only because of {@link forbidStoring}. */
export function isForbiddenByDefault(res: Response): boolean {
  return (
    isForPerson(res) &&
    !ServerResponse.prototype.hasHeader.call(res, NAME) &&
    res.getHeader(NAME) === NO_STORE[1]
  )
}
