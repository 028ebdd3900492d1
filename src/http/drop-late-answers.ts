import type { ServerResponse } from 'node:http'

/**
 * Makes a response that has been answered for its handler take whatever the handler still says.
 * Without this, a handler that answers from a callback after its time has passed would throw
 * `ERR_HTTP_HEADERS_SENT` where nobody catches it, and a slow database would end the process.
 */
export function dropLateAnswers(res: ServerResponse): void {
  const chain = () => res
  const done = () => true
  Object.assign(res, {
    setHeader: chain,
    appendHeader: chain,
    removeHeader: () => {},
    writeHead: chain,
    flushHeaders: () => {},
    write: done,
    end: chain,
  })
}
