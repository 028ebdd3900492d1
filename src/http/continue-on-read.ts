import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Sends `100 Continue` when somebody starts to read the body. Node would send it with every
 * request that expects it, and so ask for bodies that a guard or a limit refuses by the head alone
 * (RFC 9110, 10.1.1).
 */
export function continueOnRead(req: IncomingMessage, res: ServerResponse): void {
  const { _read: read } = req
  req._read = function readOnce(size) {
    req._read = read
    // Once the answer is under way, what is read is only thrown away.
    if (!res.headersSent) res.writeContinue()
    return read.call(req, size)
  }
}
