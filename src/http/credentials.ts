import type { IncomingHttpHeaders } from 'node:http'

/**
 * The credential locations of requests. A route with optional auth runs its guard only for requests that use one of
 * them.
 */
export interface CredentialPlaces {
  /** Names of headers, in lower case. */
  readonly headers: readonly string[]
  /** Names of cookies. */
  readonly cookies: readonly string[]
}

/** Whether a request has a credential. It may be empty or malformed: only the guard checks its value. */
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
 * Finds a cookie by its name, in any syntax that a cookie parser could accept: white space around the name, no value,
 * several cookies with the name. Names are case-sensitive (RFC 6265, 5.3).
 */
function hasCookie(header: string | undefined, names: readonly string[]): boolean {
  if (header === undefined) return false
  // Some parsers also split at commas (RFC 2965, 3.3.4), so a cookie after a comma also counts.
  return header
    .split(/[;,]/)
    .some((pair) => names.includes((pair.split('=', 1)[0] as string).trim()))
}
