import type { CookieOptions } from 'express'
import type { Response } from '../../contracts/handler.js'
import { routeOf } from '../noted-route.js'
import { signValue } from '../signed-cookie.js'

/** Hosts that browsers reach without TLS: the machine itself, and the connections of a `TestApp`. */
const LOCAL = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[?::1\]?|in-process)$/i

/** Names of cookies that browsers refuse without `Secure` (RFC 6265bis, section 4.1.3), in any case. */
const SECURE_NAME = /^__(?:Host|Secure)-/i

/**
 * Defines `res.cookie`. For a route of a controller, a cookie is `HttpOnly`, `SameSite=Lax`, and `Secure` outside of
 * localhost, unless the caller sets other options. Express middlewares and applications get Express' own `res.cookie`.
 *
 * @param keys The keys of signed cookies. Without keys, Express signs with the secret of cookie-parser.
 */
export function defineCookie(prototype: Response, keys: readonly string[]): void {
  const ofExpress = prototype.cookie as SetCookie
  function cookie(
    this: Response,
    name: string,
    value: unknown,
    chosen?: CookieOptions | null,
  ): Response {
    // Express accepts `null`, too.
    const options = chosen ?? {}
    if (routeOf(this.req) === undefined) return ofExpress.call(this, name, value, options)
    const { signed, ...given } = withDefaults(options, { name, req: this.req })
    const [key] = keys
    if (signed !== true) return ofExpress.call(this, name, value, given)
    if (key === undefined) return ofExpress.call(this, name, value, { ...given, signed })
    return ofExpress.call(this, name, signValue(name, value, key), given)
  }
  prototype.cookie = cookie
}

/** The signature of Express, whose overloads `call` cannot choose from. */
type SetCookie = (this: Response, name: string, value: unknown, options: CookieOptions) => Response

/** A cookie that is about to be set. */
interface OfCookie extends Pick<Response, 'req'> {
  readonly name: string
}

function withDefaults(options: CookieOptions, { name, req }: OfCookie): CookieOptions {
  const { httpOnly = true, sameSite = 'lax' } = options
  // Browsers refuse `SameSite=None` without `Secure`.
  const needsTls = sameSite === 'none' || options.partitioned === true || SECURE_NAME.test(name)
  const { secure = needsTls || req.secure || !LOCAL.test(req.hostname ?? '') } = options
  return { ...options, httpOnly, sameSite, secure }
}
