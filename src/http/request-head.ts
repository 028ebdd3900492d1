import type { IncomingMessage } from 'node:http'
import { refuse } from '../errors/refuse.js'

// A name or an address, then an optional port. With a more lenient pattern, a client could send a `Host` that a proxy
// never checked (`Host: evil:x@good`, CVE-2026-27959). Links and the tenant of the request can depend on the `Host`.
const HOST = /^(?:[\w.~%!$&'()*+;=-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i

const HOST_LENGTH = 4
const TRANSFER_ENCODING_LENGTH = 17

// Nearly all requests have the same host. Comparing strings is 60 ns faster than matching the pattern.
let lastValid: string | undefined

/**
 * Refuses a request without exactly one valid `Host` (RFC 9112, section 3.2); an HTTP/1.0 request does not need one.
 * Also refuses a body if a proxy could disagree about where it ends (request smuggling).
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
 * Counts the `Host` lines. Node uses the first line and drops the others, but a proxy could have used the last line.
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
 * Refuses any `Transfer-Encoding` other than `chunked`, and `chunked` in HTTP/1.0 (RFC 9112, section 6.1). If the value
 * is empty, Node 20 uses `Content-Length`, but a proxy could read chunks. Node does not decode any other coding.
 */
function checkCoding(name: string, { headers, httpVersion }: IncomingMessage): void {
  if (name.toLowerCase() !== 'transfer-encoding') return
  const isChunked = headers['transfer-encoding']?.toLowerCase() === 'chunked'
  if (isChunked && httpVersion !== '1.0') return
  throw refuse(
    'BAD_REQUEST',
    'The only valid Transfer-Encoding of a request is chunked, and only in HTTP/1.1',
  )
}

/** An absolute target: a scheme followed by an authority (RFC 3986, section 3.1). */
const ABSOLUTE = /^[a-z][a-z\d+.-]*:\/\//i

/**
 * Matches the part before the path. The match includes characters that are invalid in an authority, such as `\` or `@`.
 * Text with such a character therefore never equals the `Host`.
 */
const ORIGIN = /^(https?):\/\/([^/?]*)/i

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' }

/** The request target for the whole server instead of a path (RFC 9112, section 3.2.4). */
const WHOLE_SERVER = '*'

/**
 * Converts the request target to origin form (RFC 9112, section 3.2). For an absolute target, this is exactly the part
 * after the authority. It is not normalized, because a proxy has compared the same bytes with its rules: `/a/../b` is
 * not `/b`.
 *
 * An absolute target is refused if its authority is not the `Host`, because a proxy and this server could use different
 * hosts. A target with a fragment is refused, because implementations disagree on where its path ends. Any other target
 * without a leading slash is refused, except `OPTIONS *`.
 */
export function normalizeTarget(req: IncomingMessage): void {
  const { url = '' } = req
  if (url.includes('#')) throw malformed()
  if (url.charCodeAt(0) === 0x2f) return
  const isForServer = req.method === 'OPTIONS'
  if (isForServer && url === WHOLE_SERVER) return
  const path = pathOf(req, url)
  // The last proxy should send `*` for `OPTIONS` with an empty path (RFC 9112, section 3.2.4).
  if (path === '' && isForServer) req.url = WHOLE_SERVER
  else req.url = path.startsWith('/') ? path : `/${path}`
}

/**
 * Performs the checks of {@link normalizeTarget} on a request from a host application. The host has set `url`, so `url`
 * is not changed. The client's target is in `originalUrl`.
 */
export function checkForeignTarget(req: IncomingMessage & { readonly originalUrl: string }): void {
  const { originalUrl } = req
  if (originalUrl.includes('#')) throw malformed()
  if (ABSOLUTE.test(originalUrl)) pathOf(req, originalUrl)
}

function pathOf({ headers: { host } }: IncomingMessage, url: string): string {
  const [origin, scheme, authority] = ORIGIN.exec(url) ?? []
  const isOurs =
    origin !== undefined &&
    host !== undefined &&
    authorityOf(authority, scheme) === authorityOf(host, scheme)
  if (!isOurs) throw malformed()
  return url.slice(origin.length)
}

/** Returns the authority without the scheme's default port, which can be omitted or empty (RFC 3986, section 3.2.3). */
function authorityOf(text = '', scheme = ''): string {
  const authority = text.toLowerCase()
  const port = /:(\d*)$/.exec(authority)
  const isImplied = port !== null && ['', DEFAULT_PORTS[scheme.toLowerCase()]].includes(port[1])
  return isImplied ? authority.slice(0, port.index) : authority
}

function malformed(): Error {
  return refuse('MALFORMED_URL', 'The request target is malformed')
}

/** The number of query parameters that Express's parsers read. The parsers silently ignore any further parameters. */
export const MAX_PARAMETERS = 1000

/**
 * Whether the query string of a URL has more parameters than are read. A short URL cannot have that many parameters, so
 * it is not searched.
 */
export function hasTooManyParameters(url: string): boolean {
  if (url.length <= MAX_PARAMETERS) return false
  let at = url.indexOf('?')
  for (let count = 0; at !== -1 && count < MAX_PARAMETERS; count++) at = url.indexOf('&', at + 1)
  return at !== -1 && at < url.length - 1
}
