import type { User } from '../../index.js'
import { isThenable } from '../../plugin/index.js'
import type { AnyJwtOptions, JwtClaims } from './jwt-options.js'

/** A claim by its name, or a function of all claims. */
type Reader = AnyJwtOptions['roles']

/** Freezes JSON data, since all requests with the token share it. */
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

/** Makes the user that handlers get if no function `user` does; `undefined` for a token without `sub`. */
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

/** The names in a claim. A claim of another kind has none. */
export function readList(reader: Reader, claims: JwtClaims): readonly string[] {
  const value = read(reader, claims)
  const names: readonly unknown[] = typeof value === 'string' ? value.split(' ') : asList(value)
  return names.filter((name): name is string => typeof name === 'string' && name !== '')
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The tenant of a token. A claim of another kind names none. */
export function readTenant(reader: AnyJwtOptions['tenant'], claims: JwtClaims): string | undefined {
  const value = read(reader, claims)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** @throws TypeError if a function returns a promise, which has no names: the token would have no rights, and no reason. */
function read(reader: AnyJwtOptions['roles' | 'tenant'], claims: JwtClaims): unknown {
  const value: unknown = typeof reader === 'function' ? reader(claims) : own(claims, reader)
  if (!isThenable(value)) return value
  Promise.resolve(value).catch(() => {})
  throw new TypeError('jwt(): a function that reads claims has returned a promise.')
}

/** The claim `constructor` is not the property that every object has. */
function own(claims: JwtClaims, name: string | undefined): unknown {
  return name !== undefined && Object.hasOwn(claims, name) ? claims[name] : undefined
}
