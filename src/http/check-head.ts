import type { IncomingMessage } from 'node:http'
import { refuse } from '../errors/refuse.js'

// A name or an address, then perhaps a port. Whoever lets more in may be made to build links to, or
// to choose a tenant by, what a proxy never saw (`Host: evil:x@good`, CVE-2026-27959).
const HOST = /^(?:[\w.~%!$&'()*+;=-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i

const HOST_LENGTH = 4
const TRANSFER_ENCODING_LENGTH = 17

// Nearly all requests name the same host, and comparing is 60 ns cheaper than matching.
let lastValid: string | undefined

/**
 * Refuses a request without exactly one valid `Host` (RFC 9112, 3.2); HTTP/1.0 may have none. And one whose end another reader may
 * see elsewhere.
 */
export function checkHead(req: IncomingMessage): void {
  const { host } = req.headers
  const isValid = host === undefined ? req.httpVersion === '1.0' : isHost(host)
  if (!isValid || countHosts(req) > 1) {
    throw refuse('BAD_REQUEST', 'The request must have one valid Host header')
  }
}

function isHost(value: string): boolean {
  if (value === lastValid) return true
  if (!HOST.test(value)) return false
  lastValid = value
  return true
}

/** Node keeps the first `Host` and drops the others, where a proxy may have kept the last. */
function countHosts(req: IncomingMessage): number {
  const { rawHeaders } = req
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    const { length } = name
    if (length === HOST_LENGTH && (name === 'Host' || name.toLowerCase() === 'host')) count++
    else if (length === TRANSFER_ENCODING_LENGTH) checkCoding(name, req)
  }
  return count
}

/**
 * Refuses a body whose end Node does not find by its chunks alone. Node 20 goes by the length beside an empty
 * `Transfer-Encoding`, where another reader goes by chunks; it undoes no other coding; and in HTTP/1.0 there is none (RFC 9112, 6.1).
 */
function checkCoding(name: string, { headers, httpVersion }: IncomingMessage): void {
  if (name.toLowerCase() !== 'transfer-encoding') return
  const isChunked = headers['transfer-encoding']?.toLowerCase() === 'chunked'
  if (isChunked && httpVersion !== '1.0') return
  throw refuse(
    'BAD_REQUEST',
    'The only Transfer-Encoding that a request may have is chunked, and only in HTTP/1.1',
  )
}
