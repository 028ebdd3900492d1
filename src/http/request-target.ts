import type { IncomingMessage } from 'node:http'
import { refused } from '../errors/http-error.js'

/** RFC 3986, 3.1: whatever the scheme, an authority follows. */
const ABSOLUTE = /^[a-z][a-z\d+.-]*:\/\//i

/** One reader takes what stands before the `@` for the host, another what stands behind it (RFC 9110, 4.2.4). */
const USERINFO = /^https?:\/\/[^/?]*@/i

/**
 * Brings the request target into origin form (RFC 9112, 3.2). An absolute target whose authority
 * is not the `Host` would let a proxy and us disagree on what was asked for, so it is refused;
 * anything else that does not start with a slash has no route. So is a fragment, which no target
 * has, and after which one reader of the path would stop and another would not.
 */
export function normalizeTarget(req: IncomingMessage): void {
  const { url = '' } = req
  if (url.includes('#')) throw malformed()
  if (url.charCodeAt(0) === 0x2f) return
  const target = readAbsolute(req, url)
  req.url = target.pathname + target.search
}

/**
 * Refuses an absolute target whose authority is not the `Host`, of a request that an Express application has mounted here. Its `url`
 * is that application's own, and stays as it is; what the client has asked for is the `originalUrl`.
 */
export function checkForeignTarget(req: IncomingMessage & { readonly originalUrl: string }): void {
  if (ABSOLUTE.test(req.originalUrl)) readAbsolute(req, req.originalUrl)
}

function readAbsolute({ headers }: IncomingMessage, url: string): URL {
  const target = /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url) : undefined
  const isOurs = target !== undefined && target.host === headers.host?.toLowerCase()
  if (!isOurs || USERINFO.test(url)) throw malformed()
  return target
}

function malformed(): Error {
  return refused('MALFORMED_URL', 'The request target cannot be understood')
}
