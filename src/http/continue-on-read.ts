import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Sends `100 Continue` when somebody starts to read the body. Node would send it with every
 * request that expects it, and so ask for bodies that a guard or a limit refuses by the head alone
 * (RFC 9110, 10.1.1). A response that waits for others of its connection says it when its turn has come: Node would put the head
 * of an answer that is made meanwhile before it.
 */
export function continueOnRead(req: IncomingMessage, res: ServerResponse): void {
  const { _read: read } = req
  function sendContinue(): void {
    // Once the answer is under way, what is read is only thrown away.
    if (!res.headersSent) res.writeContinue()
  }
  req._read = function readOnce(size) {
    req._read = read
    if (res.socket === null) res.once('socket', sendContinue)
    else sendContinue()
    return read.call(req, size)
  }
}
