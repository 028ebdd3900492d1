import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Sends `100 Continue` when the body is read for the first time. Node would send it for every request that
 * expects it, and the client would send bodies that a guard or a limit refuses by the head alone (RFC 9110,
 * section 10.1.1). A response that waits for earlier ones sends it when its turn comes. Otherwise Node would
 * write the head of a later response before it.
 */
export function continueOnRead(req: IncomingMessage, res: ServerResponse): void {
  const { _read: read } = req
  function sendContinue(): void {
    // If the response has begun, the body is read only to be dropped.
    if (!res.headersSent) res.writeContinue()
  }
  req._read = function readOnce(size) {
    req._read = read
    if (res.socket === null) res.once('socket', sendContinue)
    else sendContinue()
    return read.call(req, size)
  }
}
