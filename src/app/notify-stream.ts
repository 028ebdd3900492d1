import type { ServerResponse } from 'node:http'
import type { Response } from '../contracts/handler.js'
import { AppClosingError } from '../errors/failure.js'
import type { BlazonRequest } from '../http/request.js'
import type { RequestScopes } from '../http/request-scopes.js'
import { inScopeOf } from '../http/request-scopes.js'
import { kAbortController } from '../http/symbol-fields.js'

/**
 * Notifies the handler of a stream that the application closes. A stream is a response that has begun and not
 * ended.
 */
export type NotifyStream = (res: ServerResponse) => void

/** Counts requests that were cut, by their names. */
export type NoteCut = (res: ServerResponse) => void

/** Whether a response has begun and `end` was not called yet. */
export function isStreaming({ headersSent, writableEnded, destroyed }: ServerResponse): boolean {
  return headersSent && !writableEnded && !destroyed
}

/**
 * Creates a {@link NotifyStream}.
 *
 * @param scopes Used to run the listeners of `req.signal` in the scope of their request.
 */
export function notifyStreamIn(scopes: RequestScopes | null): NotifyStream {
  return function notifyStream(res) {
    const req = (res as Response).req as BlazonRequest
    // Reading `req.signal` creates it. A handler that reads it later finds it aborted.
    if (req.signal.aborted) return
    inScopeOf(scopes, req, () => req[kAbortController]?.abort(new AppClosingError()))
  }
}
