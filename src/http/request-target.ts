import type { IncomingMessage } from 'node:http'
import { refuse } from '../errors/refuse.js'

/** RFC 3986, 3.1: whatever the scheme, an authority follows. */
const ABSOLUTE = /^[a-z][a-z\d+.-]*:\/\//i

/** Up to the path. What is no part of an authority, `\` or `@`, stays in it, and no `Host` is equal to that. */
const ORIGIN = /^(https?):\/\/([^/?]*)/i

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' }

/** What asks for no path, but for the server (RFC 9112, 3.2.4). */
const WHOLE_SERVER = '*'

/**
 * Brings the request target into origin form (RFC 9112, 3.2): of an absolute one, what stands behind the authority, byte for byte.
 * Whoever stands before us has compared these bytes with paths, and not what a parser of URLs makes of them: `/a/../b` is no `/b`.
 * An absolute target whose authority is not the `Host` would let a proxy and us disagree on what was asked for, so it is refused;
 * anything else that does not start with a slash has no route, but for `OPTIONS *`. So is a fragment, which no target
 * has, and after which one reader of the path would stop and another would not.
 */
export function normalizeTarget(req: IncomingMessage): void {
  const { url = '' } = req
  if (url.includes('#')) throw malformed()
  if (url.charCodeAt(0) === 0x2f) return
  const isForServer = req.method === 'OPTIONS'
  if (isForServer && url === WHOLE_SERVER) return
  const path = pathOf(req, url)
  // So the last proxy would have to write it, for an empty path alone.
  if (path === '' && isForServer) req.url = WHOLE_SERVER
  else req.url = path.startsWith('/') ? path : `/${path}`
}

/**
 * Refuses an absolute target whose authority is not the `Host`, of a request that an Express application has mounted here, and one
 * with a fragment. Its `url` is that application's own, and stays as it is; what the client has asked for is the `originalUrl`.
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

/** The port that the scheme implies may be left out, or be empty (RFC 3986, 3.2.3). */
function authorityOf(text = '', scheme = ''): string {
  const authority = text.toLowerCase()
  const port = /:(\d*)$/.exec(authority)
  const isImplied = port !== null && ['', DEFAULT_PORTS[scheme.toLowerCase()]].includes(port[1])
  return isImplied ? authority.slice(0, port.index) : authority
}

function malformed(): Error {
  return refuse('MALFORMED_URL', 'The request target is malformed')
}
