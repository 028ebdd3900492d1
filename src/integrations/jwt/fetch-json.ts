import type { JwtFetch } from './jwt-options.js'
import { isSafeUrl } from './safe-url.js'

/** The longest wait for an issuer, in milliseconds of the machine: a moved clock does not make it faster. */
const TIMEOUT_MS = 5000

/** The largest answer. Metadata and keys of an issuer have a few kilobytes. */
const LIMIT_BYTES = 256 * 1024

/** An answer with another status than 200. */
export class UnexpectedStatus extends Error {}

/** How answers are fetched. */
export interface FetchSetup {
  readonly fetch: JwtFetch
  /** Aborted when the application closes. */
  readonly closed: AbortSignal
}

/**
 * Reads JSON from a URL. Redirects are not followed: through a redirect that an attacker can choose, the keys would
 * come from the attacker.
 */
export async function fetchJson(url: URL, { fetch, closed }: FetchSetup): Promise<unknown> {
  if (!isSafeUrl(url)) throw new Error(`${url.href} is not a URL with https.`)
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
  // Leaving the loop cancels the rest of the body.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > LIMIT_BYTES) throw new Error(`${href} sent more than ${LIMIT_BYTES} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
