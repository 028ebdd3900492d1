import type { IncomingMessage } from 'node:http'
import { refuse } from '../errors/refuse.js'

/** An absolute target: after any scheme comes an authority (RFC 3986, section 3.1). */
const ABSOLUTE = /^[a-z][a-z\d+.-]*:\/\//i

/**
 * The part before the path. Characters that an authority cannot contain, such as `\` or `@`, stay in it, so it
 * never equals the `Host`.
 */
const ORIGIN = /^(https?):\/\/([^/?]*)/i

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' }

/** The target for the server as a whole instead of a path (RFC 9112, section 3.2.4). */
const WHOLE_SERVER = '*'

/**
 * Converts the request target to origin form (RFC 9112, section 3.2). For an absolute target that is the part
 * after the authority, byte for byte. A proxy has compared exactly these bytes with its rules, so they are not
 * normalized: `/a/../b` is not `/b`.
 *
 * An absolute target is refused if its authority is not the `Host`, because a proxy and this server could read
 * different hosts. A target with a fragment is refused, because readers disagree on where its path ends. Any
 * other target without a leading slash has no route, except `OPTIONS *`.
 */
export function normalizeTarget(req: IncomingMessage): void {
  const { url = '' } = req
  if (url.includes('#')) throw malformed()
  if (url.charCodeAt(0) === 0x2f) return
  const isForServer = req.method === 'OPTIONS'
  if (isForServer && url === WHOLE_SERVER) return
  const path = pathOf(req, url)
  // RFC 9112, section 3.2.4: the last proxy should send `*` for `OPTIONS` with an empty path.
  if (path === '' && isForServer) req.url = WHOLE_SERVER
  else req.url = path.startsWith('/') ? path : `/${path}`
}

/**
 * The checks of {@link normalizeTarget} for a request that an Express application passes to us. That
 * application has set `url`, so it is not changed. The target of the client is in `originalUrl`.
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

/**
 * Returns the authority without the default port of its scheme. That port may be left out or be empty (RFC
 * 3986, section 3.2.3).
 */
function authorityOf(text = '', scheme = ''): string {
  const authority = text.toLowerCase()
  const port = /:(\d*)$/.exec(authority)
  const isImplied = port !== null && ['', DEFAULT_PORTS[scheme.toLowerCase()]].includes(port[1])
  return isImplied ? authority.slice(0, port.index) : authority
}

function malformed(): Error {
  return refuse('MALFORMED_URL', 'The request target is malformed')
}
