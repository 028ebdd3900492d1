import type { Request } from '../../contracts/handler.js'

/** What is longer is not decoded: a name should not cost more than the request that it comes with. */
const MAX_TOKEN_LENGTH = 8 * 1024

/** A compact JWS (RFC 7515, 7.1); without a signature it is the guard's to refuse. */
const BEARER = /^Bearer +[\w-]+\.([\w-]+)\.[\w-]*$/i

/**
 * Reads a claim of the bearer's JWT without verifying it. What is no JWT claims nothing here: to refuse a credential is
 * the guard's business. `null` counts as no claim.
 */
export function bearerClaim(name: string): (req: Request) => unknown {
  return function readClaim({ headers: { authorization } }) {
    if (authorization === undefined || authorization.length > MAX_TOKEN_LENGTH) return undefined
    const payload = decode(BEARER.exec(authorization)?.[1])
    // `hasOwn`: every object has a `constructor`.
    if (typeof payload !== 'object' || payload === null || !Object.hasOwn(payload, name)) {
      return undefined
    }
    return (payload as Record<string, unknown>)[name] ?? undefined
  }
}

function decode(part: string | undefined): unknown {
  if (part === undefined) return undefined
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString())
  } catch {
    return undefined
  }
}
