import { type FetchSetup, fetchJson, UnexpectedStatus } from './fetch-json.js'

/**
 * Finds the URL of the keys of an issuer in its metadata: of OpenID Connect Discovery 1.0, else of RFC 8414. The
 * metadata must name exactly this issuer.
 */
export async function findJwks(issuer: string, setup: FetchSetup): Promise<URL> {
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
