import type { User } from '../../index.js'
import { isThenable } from '../../plugin/index.js'
import type { AnyJwtOptions, JwtClaims } from './jwt-options.js'
import type { ParsedToken } from './read-token.js'

/** The rules for the claims of a token. Times are in seconds. */
export interface ClaimRules {
  readonly issuer: string | undefined
  /** `null` if any audience is accepted. */
  readonly audience: readonly string[] | null
  /** The accepted types, in lower case; `undefined` stands for tokens without a type. */
  readonly types: readonly (string | undefined)[]
  readonly needsExpiry: boolean
  readonly maxAge: number | undefined
  readonly tolerance: number
}

/**
 * The reason for a refusal. Clients receive the reason only if it is `expired`, so that they can obtain a new token.
 */
type TokenFault = 'expired' | 'invalid'

/**
 * Times from this value on are refused. Such a time is probably in milliseconds, so the token would practically never
 * expire.
 */
const LATEST = 1e11

/**
 * Checks the type and the claims of a token against the rules. `now` is in seconds. Returns `null` for a token that
 * satisfies the rules.
 */
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

/** Returns the time at which a token expires, in seconds, including the tolerance; `Infinity` if it has no expiry. */
export function endOf({ exp, iat }: JwtClaims, { maxAge, tolerance }: ClaimRules): number {
  const byAge = maxAge === undefined ? Infinity : (iat as number) + maxAge
  return Math.min(exp ?? Infinity, byAge) + tolerance
}

/**
 * Returns the time from which a token is valid, in seconds, including the tolerance. `iat` is used only if the age is
 * limited.
 */
export function startOf(
  { nbf = 0, iat = 0 }: JwtClaims,
  { maxAge, tolerance }: ClaimRules,
): number {
  return Math.max(nbf, maxAge === undefined ? 0 : iat) - tolerance
}

/** Returns a media type in lower case, without the prefix `application/` (RFC 7515, 4.1.9). */
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

type Reader = AnyJwtOptions['roles']

/** Freezes JSON data, because all requests with the same token share it. */
export function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) {
    return value
  }
  Object.freeze(value)
  for (const part of Object.values(value)) freezeDeep(part)
  return value
}

/**
 * Creates the default user of a request, for a guard without the option `user`. Returns `undefined` for a token without
 * `sub`.
 */
export function defaultUser(
  claims: JwtClaims,
  output: unknown,
  { roles = 'roles', permissions = 'permissions', scope }: AnyJwtOptions,
): User | undefined {
  const { sub } = claims
  if (typeof sub !== 'string' || sub === '') return undefined
  const scopes = scope === undefined ? [] : readList(scope, claims)
  return {
    ...(output as object),
    id: sub,
    roles: readList(roles, claims),
    permissions: [...readList(permissions, claims), ...scopes],
  }
}

/** Returns the names in a claim; an empty list if the claim is neither a string nor a list. */
export function readList(reader: Reader, claims: JwtClaims): readonly string[] {
  const value = read(reader, claims)
  const names: readonly unknown[] = typeof value === 'string' ? value.split(' ') : asList(value)
  return names.filter((name): name is string => typeof name === 'string' && name !== '')
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns the tenant of a token; `undefined` if the claim is not a string, or is empty. */
export function readTenant(reader: AnyJwtOptions['tenant'], claims: JwtClaims): string | undefined {
  const value = read(reader, claims)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/**
 * Reads a value from the claims.
 *
 * @throws TypeError if a function returns a promise, because the token would otherwise silently have no permissions.
 */
function read(reader: AnyJwtOptions['roles' | 'tenant'], claims: JwtClaims): unknown {
  const value: unknown = typeof reader === 'function' ? reader(claims) : own(claims, reader)
  if (!isThenable(value)) return value
  Promise.resolve(value).catch(() => {})
  throw new TypeError(
    'jwt(): a function that reads claims returned a promise. It must return the value itself.',
  )
}

/**
 * Returns a claim. Only own properties count, so that the name `constructor` does not find the property that every
 * object inherits.
 */
function own(claims: JwtClaims, name: string | undefined): unknown {
  return name !== undefined && Object.hasOwn(claims, name) ? claims[name] : undefined
}
