import { kAbortController, kIsExpired } from '../http/own-fields.js'
import type { BlazonRequest } from '../http/request.js'
import { keepFirstResponse } from '../http/send/keep-first-response.js'

/**
 * Ends a request with an error while its handler is still at work: what that says after the answer is dropped, and `req.signal` tells
 * it so.
 */
export function overtake(error: unknown, req: BlazonRequest, end: (error: unknown) => void): void {
  req[kIsExpired] = true
  keepFirstResponse(req.res)
  end(error)
  req[kAbortController]?.abort(error)
}
