import type { Request } from '../../contracts/handler.js'

/**
 * Longer tokens are not decoded: reading the name of the tenant should not cost more than the rest of the
 * request.
 */
const MAX_TOKEN_LENGTH = 8 * 1024

/** A compact JWS (RFC 7515, 7.1). The signature may be missing: to refuse such a token is the guard's task. */
const BEARER = /^Bearer +[\w-]+\.([\w-]+)\.[\w-]*$/i

/**
 * Creates a function that reads one claim of the bearer token without verifying the token. A value that is not
 * a JWT names no tenant: to refuse a credential is the guard's task. A claim that is `null` counts as absent.
 */
export function bearerClaim(name: string): (req: Request) => unknown {
  return function readClaim({ headers: { authorization } }) {
    if (authorization === undefined || authorization.length > MAX_TOKEN_LENGTH) return undefined
    const payload = decode(BEARER.exec(authorization)?.[1])
    // `hasOwn`, because every object inherits names such as `constructor`.
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
