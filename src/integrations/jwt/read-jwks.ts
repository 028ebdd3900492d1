import type { AnyJwtOptions, JwtFetch } from './jwt-options.js'
import { narrow, publicJwk, UnusableKey, type VerificationKey } from './verification-key.js'

/** The maximum number of keys, which is more than any issuer has. */
const MOST_KEYS = 100

/** Creates the function that reads the keys of an issuer. After each failure, it looks up their URL again. */
export function jwksReader(
  options: AnyJwtOptions,
  setup: FetchSetup,
): () => Promise<readonly VerificationKey[]> {
  const { jwks, issuer = '', algorithms } = options
  let place: URL | undefined
  return async function readJwks() {
    const known = place
    place = undefined
    const url = jwks === undefined ? (known ?? (await findJwks(issuer, setup))) : new URL(jwks)
    const keys = readKeys(await fetchJson(url, setup)).flatMap(
      (key) => narrow(key, algorithms) ?? [],
    )
    if (keys.length === 0) throw new Error(`${url.href} contains no key that can verify tokens.`)
    place = url
    return keys
  }
}

/** Reads a JWK Set (RFC 7517, 5). Keys for other purposes, private keys and secrets are ignored. */
function readKeys(set: unknown): VerificationKey[] {
  const { keys } = (set ?? {}) as Record<string, unknown>
  if (!Array.isArray(keys) || keys.length > MOST_KEYS)
    throw new Error('The response is not a JWK Set with at most 100 keys.')
  return keys.flatMap((jwk: unknown) => {
    if (typeof jwk !== 'object' || jwk === null) return []
    try {
      return publicJwk(jwk as Record<string, unknown>)
    } catch (error) {
      if (error instanceof UnusableKey) return []
      throw error
    }
  })
}

/**
 * Finds the URL of an issuer's keys in its metadata: according to OpenID Connect Discovery 1.0, or else RFC 8414. The
 * metadata must contain exactly this issuer.
 */
async function findJwks(issuer: string, setup: FetchSetup): Promise<URL> {
  const [openid, oauth] = metadataUrls(issuer)
  const metadata = await fetchJson(openid, setup).catch((error: unknown) => {
    if (error instanceof UnexpectedStatus) return fetchJson(oauth, setup)
    throw error
  })
  const { issuer: named, jwks_uri: jwks } = (metadata ?? {}) as Record<string, unknown>
  if (named !== issuer) {
    throw new Error(`The metadata of ${issuer} belongs to another issuer.`)
  }
  if (typeof jwks !== 'string' || !URL.canParse(jwks)) {
    throw new Error(`The metadata of ${issuer} has no jwks_uri.`)
  }
  return new URL(jwks)
}

function metadataUrls(issuer: string): readonly [URL, URL] {
  const base = issuer.replace(/\/$/, '')
  const { origin } = new URL(base)
  const path = base.slice(base.indexOf('://') + 3).replace(/^[^/]*/, '')
  return [
    new URL(`${base}/.well-known/openid-configuration`),
    new URL(`${origin}/.well-known/oauth-authorization-server${path}`),
  ]
}

/** The maximum wait for an issuer, in milliseconds of real time. A test clock does not shorten it. */
const TIMEOUT_MS = 5000

/** The maximum size of a response. An issuer's metadata and keys have a few kilobytes. */
const LIMIT_BYTES = 256 * 1024

/** The error for a response whose status is not 200. */
class UnexpectedStatus extends Error {}

interface FetchSetup {
  readonly fetch: JwtFetch
  /** The signal that is aborted when the application closes. */
  readonly closed: AbortSignal
}

/**
 * Reads JSON from a URL. Redirects are not followed, because an attacker who controls a redirect could supply the keys.
 */
async function fetchJson(url: URL, { fetch, closed }: FetchSetup): Promise<unknown> {
  if (!isSafeUrl(url)) {
    // The password is omitted, because the error is logged.
    const shown = `${url.origin}${url.pathname}`
    throw new Error(`${shown} is not an https URL, or has a user name or a password.`)
  }
  const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), closed])
  const headers = { accept: 'application/json, application/jwk-set+json' }
  const response = await fetch(url, { redirect: 'manual', headers, signal })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new UnexpectedStatus(`${url.href} responded with status ${response.status}.`)
  }
  return JSON.parse(await readText(response, url))
}

async function readText(response: Response, { href }: URL): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop cancels the rest of the response body.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > LIMIT_BYTES) throw new Error(`${href} sent more than ${LIMIT_BYTES} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Matches a host whose connections do not leave the machine. */
const LOOPBACK = /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * Whether a URL protects its response against changes in transit: it uses `https`, or `http` on the same machine. The
 * result is `false` for a URL with a user name or a password.
 */
export function isSafeUrl(value: unknown): boolean {
  if (!URL.canParse(String(value))) return false
  const { protocol, hostname, username, password } = new URL(String(value))
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
}
