import type { IncomingMessage } from 'node:http'
import { refuse } from '../errors/refuse.js'

// A name or an address, then an optional port. A more lenient pattern would let a client send a `Host` that a
// proxy never checked (`Host: evil:x@good`, CVE-2026-27959). Links or the tenant of the request may depend on
// it.
const HOST = /^(?:[\w.~%!$&'()*+;=-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i

const HOST_LENGTH = 4
const TRANSFER_ENCODING_LENGTH = 17

// Nearly all requests name the same host. Comparing strings is 60 ns cheaper than matching the pattern.
let lastValid: string | undefined

/**
 * Refuses a request without exactly one valid `Host` (RFC 9112, section 3.2); an HTTP/1.0 request may have
 * none. Also refuses a body whose end a proxy may find at another byte.
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

/**
 * Counts the `Host` lines. Node uses the first one and drops the others, while a proxy may have used the last
 * one.
 */
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
 * Refuses any `Transfer-Encoding` other than `chunked`, and `chunked` in HTTP/1.0 (RFC 9112, section 6.1). With
 * an empty one, Node 20 uses `Content-Length`, while another reader uses chunks. Node decodes no other coding.
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
