import type { JwtClaims } from './jwt-options.js'
import type { ParsedToken } from './parse-token.js'

/** The rules for the claims of a token. Times are seconds. */
export interface ClaimRules {
  readonly issuer: string | undefined
  /** `null` if the audience does not matter. */
  readonly audience: readonly string[] | null
  /** Types in lower case; `undefined` for tokens without a type. */
  readonly types: readonly (string | undefined)[]
  readonly needsExpiry: boolean
  readonly maxAge: number | undefined
  readonly tolerance: number
}

/** Why a token is refused: `expired` is sent to clients, because they can get a new token. */
export type TokenFault = 'expired' | 'invalid'

/** A time in milliseconds would be one after the year 5000, and the token would never end. */
const LATEST = 1e11

/** Checks all claims of a token against the rules. `now` is in seconds. Returns `null` for a token that fits. */
export function findFault(token: ParsedToken, rules: ClaimRules, now: number): TokenFault | null {
  const { claims, header } = token
  const isOurs =
    rules.types.includes(typeOf(header.typ)) &&
    (rules.issuer === undefined || claims.iss === rules.issuer) &&
    isFor(claims.aud, rules.audience) &&
    hasTimes(claims, rules)
  if (!isOurs) return 'invalid'
  if (now < startOf(claims, rules)) return 'invalid'
  return now < endOf(claims, rules) ? null : 'expired'
}

/** The second at which a token ends, with tolerance; `Infinity` for a token without an end. */
export function endOf({ exp, iat }: JwtClaims, { maxAge, tolerance }: ClaimRules): number {
  const byAge = maxAge === undefined ? Infinity : (iat as number) + maxAge
  return Math.min(exp ?? Infinity, byAge) + tolerance
}

/** The second at which a token begins, with tolerance. Its issue counts only where its age does. */
export function startOf(
  { nbf = 0, iat = 0 }: JwtClaims,
  { maxAge, tolerance }: ClaimRules,
): number {
  return Math.max(nbf, maxAge === undefined ? 0 : iat) - tolerance
}

/** A media type without its `application/` (RFC 7515, 4.1.9). */
export function typeOf(typ: string | undefined): string | undefined {
  return typ?.toLowerCase().replace(/^application\//, '')
}

function isFor(aud: unknown, audience: readonly string[] | null): boolean {
  if (audience === null) return true
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  return (
    named.every((name) => typeof name === 'string') &&
    named.some((name) => audience.includes(name as string))
  )
}

function hasTimes({ exp, nbf, iat }: JwtClaims, { needsExpiry, maxAge }: ClaimRules): boolean {
  if (exp === undefined && needsExpiry) return false
  if (iat === undefined && maxAge !== undefined) return false
  return [exp, nbf, iat].every((time) => time === undefined || isTime(time))
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value < LATEST
}
