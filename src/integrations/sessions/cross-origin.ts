import {
  defineOption,
  ForbiddenError,
  type Request,
  type RouteModel,
  type RouteOption,
} from '../../index.js'
import type { RouteContract } from '../../plugin/index.js'

/** Methods that must not change any state (RFC 9110, 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'])

/** Whether a request with this method may change state. */
export function changes(method: string): boolean {
  return !SAFE.has(method)
}

/**
 * Refuses a request that a page of a different origin has sent. Browsers report the origin in `Sec-Fetch-Site` (W3C
 * Fetch Metadata). Browsers before 2023, and all browsers over plain HTTP, report it in `Origin`. A page cannot remove
 * or change these headers.
 *
 * @param isCookieSent Whether the request contains the cookie. Such a request is also refused if it has neither header,
 * because a browser may be too old to send them. A request without the cookie has no authority that a page could abuse.
 * @throws ForbiddenError `CROSS_ORIGIN`.
 */
export function refuseCrossOrigin(
  req: Request,
  { trusted, isCookieSent }: { trusted: ReadonlySet<string>; isCookieSent: boolean },
): void {
  const { origin, 'sec-fetch-site': site } = req.headers
  if (typeof origin === 'string' && trusted.has(origin)) return
  if (site === 'same-origin' || site === 'none') return
  if (site === undefined) {
    if (origin === undefined ? !isCookieSent : isOwn(req, origin)) return
  }
  const message =
    site === undefined && origin === undefined
      ? 'A request with this cookie must have the header Origin or Sec-Fetch-Site'
      : 'A page of another origin has sent this request'
  throw new ForbiddenError(message, { code: 'CROSS_ORIGIN' })
}

/**
 * Whether an origin is the request's own origin. Behind a proxy that terminates TLS, the scheme of the request is
 * unknown, so `https` is always accepted.
 */
function isOwn(req: Request, origin: string): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, host } = new URL(origin)
  if (protocol !== 'https:' && (protocol !== 'http:' || req.secure)) return false
  const own = `${protocol}//${req.host ?? ''}`
  return URL.canParse(own) && new URL(own).host === host
}

/**
 * Documents that a route's responses set or delete the cookie. Use it on routes that call `login`, `logout` or `set`.
 * It has no other effect.
 *
 * @example
 * @SetsSession()
 * @Post('login')
 */
export const SetsSession: RouteOption<true, true, 'method'> = defineOption('SetsSession', {
  on: 'method',
})

const SET_COOKIE = {
  'Set-Cookie': {
    description: 'The session cookie.',
    schema: { type: 'string' },
  },
} as const

/**
 * Returns the additions to a route's operation in the document: the error response for other origins, and the cookie.
 */
export function sessionContract(route: RouteModel): RouteContract {
  return {
    ...(changes(route.method) ? { errors: [403] } : {}),
    ...(route.option(SetsSession) === true ? { headers: SET_COOKIE } : {}),
  }
}
