import type { BlazonRequest } from '../http/request.js'
import { keepFirstResponse } from '../http/send/keep-first-response.js'
import { kAbortController, kIsExpired } from '../http/symbol-fields.js'

/**
 * Ends a request with an error while its handler is still running. Later responses of the handler are dropped,
 * and `req.signal` aborts.
 */
export function endEarly(error: unknown, req: BlazonRequest, end: (error: unknown) => void): void {
  req[kIsExpired] = true
  keepFirstResponse(req.res)
  end(error)
  req[kAbortController]?.abort(error)
}
