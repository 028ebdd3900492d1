import { ServerResponse } from 'node:http'
import type { Response } from '../../contracts/handler.js'
import { kAdded } from '../symbol-fields.js'
import { addHeaders, type OwnHeaders } from './response-headers.js'

const NAME = 'Cache-Control'
const NO_STORE = Object.freeze([NAME, 'no-store'])

/**
 * Forbids to store a response that is made for the holder of a credential (RFC 9111, 5.2.2.5), unless other code sets
 * another rule of caching: a header that is set before or later replaces this one.
 */
export function forbidStoring(res: Response): void {
  const added = (res as Response & Partial<OwnHeaders>)[kAdded] ?? null
  if (added === null || !added.includes(NAME)) addHeaders(res, NO_STORE)
}

/** Whether {@link forbidStoring} was called for a response. Other code may have set another rule of caching since. */
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
