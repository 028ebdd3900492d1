import type { ServerResponse } from 'node:http'
import type { Response } from '../contracts/handler.js'
import { AppClosingError } from '../errors/app-closing-error.js'
import { kAbortController } from '../http/own-fields.js'
import type { BlazonRequest } from '../http/request.js'
import type { RequestScopes } from '../http/request-scopes.js'
import { inScopeOf } from '../pipeline/scoped-errors.js'

/** Tells the handler of an answer that has begun, and does not end by itself, that the application closes. */
export type TellStream = (res: ServerResponse) => void

/** Whether an answer has begun, and nobody has said yet that it is whole. */
export function isStreaming({ headersSent, writableEnded, destroyed }: ServerResponse): boolean {
  return headersSent && !writableEnded && !destroyed
}

/** @param scopes What listeners of `req.signal` run in. */
export function tellStreamIn(scopes: RequestScopes | null): TellStream {
  return function tellStream(res) {
    const req = (res as Response).req as BlazonRequest
    // Who asks for the signal only later finds it aborted: to ask makes it.
    if (req.signal.aborted) return
    inScopeOf(scopes, req, () => req[kAbortController]?.abort(new AppClosingError()))
  }
}
