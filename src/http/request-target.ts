import type { IncomingMessage } from 'node:http'
import { refused } from '../errors/http-error.js'

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
  const target = /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url) : undefined
  if (target === undefined || target.host !== req.headers.host?.toLowerCase()) {
    throw malformed()
  }
  req.url = target.pathname + target.search
}

function malformed(): Error {
  return refused('MALFORMED_URL', 'The request target cannot be understood')
}
