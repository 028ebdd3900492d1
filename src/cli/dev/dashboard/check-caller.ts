import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** The part of the dashboard that a request is for: the page, which has no data, or data. */
export type Wanted = 'page' | 'data'

/** Names of this machine. With another name, the page of a stranger could lead its own name to this address (DNS rebinding). */
const OWN_HOST = /^(?:127\.0\.0\.1|localhost)(?::\d{1,5})?$/i
const BEARER = /^Bearer ([\w-]+)$/i

/**
 * Why a request is refused, as a sentence; `null` if it may be answered. Only a browser that shows the page itself, and
 * programs that have the token, get data. The token is in no cookie: cookies ignore ports, so every server of this
 * machine would get it.
 */
export function refusalOf(req: IncomingMessage, wanted: Wanted, token: string): string | null {
  const { hostDistinct, origin, site, mode, dest, authorization } = headersOf(req)
  const [host = ''] = hostDistinct
  if (hostDistinct.length !== 1 || !OWN_HOST.test(host)) {
    return 'Host must be 127.0.0.1 or localhost.'
  }
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) {
    return 'The page of another origin may not ask.'
  }
  const isVisit = wanted === 'page' && mode === 'navigate' && dest === 'document'
  if (!isVisit && !isOwnSite(site, wanted)) return 'The page of another site may not ask.'
  if (wanted === 'page' || isToken(authorization, token)) return null
  return 'The token is missing or wrong. Open the address that `blazon dev` has printed.'
}

function headersOf({ headers, headersDistinct }: IncomingMessage) {
  const { origin, authorization } = headers
  const { host: hostDistinct = [] } = headersDistinct
  const [site, mode, dest] = ['site', 'mode', 'dest'].map((name) => headers[`sec-fetch-${name}`])
  return { hostDistinct, origin, authorization, site, mode, dest }
}

/** Browsers that do not send the header are old; the other checks hold for them, too. */
function isOwnSite(site: unknown, wanted: Wanted): boolean {
  if (site === undefined || site === 'same-origin') return true
  // The user has typed the address, or opened it from a terminal.
  return wanted === 'page' && site === 'none'
}

function isToken(authorization: string | undefined, token: string): boolean {
  const given = BEARER.exec(authorization ?? '')?.[1]
  return given !== undefined && timingSafeEqual(digest(given), digest(token))
}

/** Of the same length for every text, as `timingSafeEqual` needs it. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
