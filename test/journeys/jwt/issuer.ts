import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { forge, type Signer } from './forge.js'

/** A key of the issuer. */
export interface IssuerKey extends Signer {
  readonly kid: string
  readonly publicKey: KeyObject
  readonly jwk: Record<string, unknown>
}

/** How the issuer answers: `normal`, or the listener that does in place of it. */
type Mood = 'normal' | 'down' | RequestListener

/** An issuer of tokens on this machine, whose keys, metadata and health a test changes. */
export interface Issuer {
  readonly url: string
  /** The paths of all requests so far. */
  readonly requests: string[]
  /** The JWK Set that it publishes. */
  keys: Record<string, unknown>[]
  /** Members that replace those of the metadata. */
  metadata: Record<string, unknown>
  /** The paths under which it has metadata. */
  places: string[]
  mood: Mood
  /** Signs a token with its issuer, subject, audience and an end far away. */
  token(key: IssuerKey, claims?: Record<string, unknown>, header?: Record<string, unknown>): string
}

/** Makes an elliptic key and its public JSON Web Key. */
export function makeKey(kid: string): IssuerKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' }
  return { kid, publicKey, jwk, alg: 'ES256', key: privateKey }
}

/** A second that is after all clocks of these tests. */
export const FAR = 90_000_000_000

/** Starts an issuer. It stops after the test. */
export async function startIssuer(...keys: IssuerKey[]): Promise<Issuer> {
  const server = createServer((req, res) => {
    const path = req.url as string
    issuer.requests.push(path)
    if (issuer.mood === 'down') return void req.socket.destroy()
    if (issuer.mood !== 'normal') return issuer.mood(req, res)
    const metadata = { issuer: issuer.url, jwks_uri: `${issuer.url}/keys`, ...issuer.metadata }
    const found =
      path === '/keys' ? { keys: issuer.keys } : issuer.places.includes(path) && metadata
    res.writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
    res.end(JSON.stringify(found || null))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const issuer: Issuer = {
    url,
    requests: [],
    keys: keys.map(({ jwk }) => jwk),
    metadata: {},
    places: ['/.well-known/openid-configuration'],
    mood: 'normal',
    token(key, claims, header) {
      const all = { iss: url, sub: 'u1', aud: 'orders', exp: FAR, ...claims }
      return forge({ alg: key.alg, kid: key.kid, ...header }, all, key)
    },
  }
  return issuer
}
