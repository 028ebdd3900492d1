import type { Request } from '../contracts/handler.js'
import type { BlazonRequest } from './request.js'
import { kHasFailed, kIsExpired } from './symbol-fields.js'

/**
 * Whether a request has failed: it was refused, its handler threw, or the handler timeout or a late error has ended it.
 * The response of such a request is not the response of its handler. A step that saves work when a response is sent
 * checks this before.
 *
 * @example
 * const isSaved = res.statusCode < 500 && !hasFailed(req)
 */
export function hasFailed(req: Request): boolean {
  const { [kHasFailed]: isFailed, [kIsExpired]: isExpired } = req as BlazonRequest
  return isFailed || isExpired
}
