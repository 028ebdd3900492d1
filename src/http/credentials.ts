import type { IncomingHttpHeaders } from 'node:http'

/**
 * The places where requests carry credentials. A route with optional auth runs its guard only for requests that use at
 * least one of these places.
 */
export interface CredentialPlaces {
  /** The header names, in lower case. */
  readonly headers: readonly string[]
  /** The cookie names. */
  readonly cookies: readonly string[]
}

/**
 * Whether a request has a credential. The credential can be empty or malformed, because only the guard checks its
 * value.
 */
export type CarriesCredential = (req: { readonly headers: IncomingHttpHeaders }) => boolean

/** The cookie name prefix in `auth.credentials`. */
export const COOKIE_PREFIX = 'cookie:'

/** Reads the names of `auth.credentials`: headers, and cookies as `cookie:<name>`. */
export function credentialPlaces(names: readonly string[]): CredentialPlaces {
  const isCookie = (name: string) => name.startsWith(COOKIE_PREFIX)
  const headers = names.filter((name) => !isCookie(name)).map((name) => name.toLowerCase())
  const cookies = names.filter(isCookie).map((name) => name.slice(COOKIE_PREFIX.length))
  return Object.freeze({ headers: Object.freeze(headers), cookies: Object.freeze(cookies) })
}

/** Creates the function that finds credentials in requests. */
export function compileCredentials({ headers, cookies }: CredentialPlaces): CarriesCredential {
  return function carriesCredential({ headers: sent }) {
    if (headers.some((name) => sent[name] !== undefined)) return true
    return cookies.length > 0 && hasCookie(sent.cookie, cookies)
  }
}

/**
 * Whether a `Cookie` header contains one of the names, in any syntax that a cookie parser could accept: with white
 * space around the name, without a value, or with several cookies of the same name. Names are case-sensitive (RFC 6265,
 * 5.3).
 */
function hasCookie(header: string | undefined, names: readonly string[]): boolean {
  if (header === undefined) return false
  // Some parsers also split the header at commas (RFC 2965, 3.3.4), so a cookie after a comma also counts.
  return header
    .split(/[;,]/)
    .some((pair) => names.includes((pair.split('=', 1)[0] as string).trim()))
}
