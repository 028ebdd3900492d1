import { validateHeaderName } from 'node:http'
import type { AuthGuard } from '../../contracts/guard.js'
import type { Request, User } from '../../contracts/handler.js'
import type { Token } from '../../contracts/provider.js'
import type { Problem } from '../../errors/config-error.js'
import { invalid, shown } from '../../errors/invalid.js'
import { type Names, type OptionGroup, refusedNames } from '../../errors/option-group.js'
import { COOKIE_PREFIX, type CredentialPlaces, credentialPlaces } from '../../http/credentials.js'

/** The `auth` option. */
export interface AuthOptions {
  /**
   * The `AuthGuard` that runs before protected routes: an instance, a class, or a token.
   *
   * @defaultValue none; protected routes respond with 401
   */
  readonly guard?: AuthGuard | Token<AuthGuard>
  /**
   * Whether a route without `@Auth`, `@Can` and `@Public` is `'public'` or `'protected'`.
   *
   * @defaultValue `'public'`
   */
  readonly default?: 'public' | 'protected'
  /**
   * Decides `@Can(...abilities)`: `(user, abilities, req)`. Only the value `true` allows the request. Any other
   * value responds with 403.
   *
   * @defaultValue all abilities must be in `req.user.permissions` or `req.user.roles`
   */
  readonly can?: (
    user: User | undefined,
    abilities: readonly string[],
    req: Request,
  ) => boolean | Promise<boolean>
  /**
   * The places of credentials in a request: names of headers, and of cookies as `'cookie:<name>'`. On a route with
   * `@Auth({ optional: true })`, the guard runs for requests that carry one of them.
   *
   * @defaultValue `['authorization']`
   * @see docs/auth.md#optional-auth
   */
  readonly credentials?: readonly string[]
}

/** The `auth` option, resolved. */
export interface AuthSettings {
  /** `null` if the application has no guard. */
  readonly guard: AuthGuard | Token<AuthGuard> | null
  /** The access of a route without `@Auth`, `@Can` and `@Public`. */
  readonly defaultAccess: 'public' | 'protected'
  /** `undefined` if the permissions and roles of the user decide. */
  readonly can: AuthOptions['can']
  /** The places of credentials, for routes with optional auth. */
  readonly credentials: CredentialPlaces
}

type Option = AuthOptions | undefined

const NAMES: Names<AuthOptions> = { guard: true, default: true, can: true, credentials: true }

/** The `auth` option. An unknown name is an error, because a misspelt `guard` would leave routes without a guard. */
export const authGroup: OptionGroup<Option, AuthSettings> = {
  unknown: (auth) => refusedNames('auth.', auth, NAMES),
  check: (auth) => [
    ...checkRules(auth),
    ...checkGuard(auth?.guard),
    ...checkCredentials(auth?.credentials),
  ],
  resolve(auth) {
    const { guard = null, default: defaultAccess = 'public', can } = auth ?? {}
    const credentials = credentialPlaces(auth?.credentials ?? ['authorization'])
    return Object.freeze({ guard, defaultAccess, can, credentials })
  },
}

/**
 * Checks `auth.default` and `auth.can`. An unknown default must be an error, because it would leave every route
 * public.
 */
function checkRules(auth: Option): Problem[] {
  const problems: Problem[] = []
  if (!['public', 'protected', undefined].includes(auth?.default)) {
    const cause = `${String(auth?.default)} is not a way to treat undecorated routes.`
    problems.push(invalid('auth.default', cause, "Give 'public' or 'protected'."))
  }
  if (auth?.can !== undefined && typeof auth.can !== 'function') {
    const remedy = 'Give (user, abilities, req) => boolean.'
    problems.push(invalid('auth.can', 'It is not a function.', remedy))
  }
  return problems
}

function checkGuard(guard: unknown): Problem[] {
  const isGuard = typeof (guard as { canActivate?: unknown })?.canActivate === 'function'
  // These are the types of token that the container resolves. The container itself reports a token without
  // provider.
  const isToken =
    ['function', 'string', 'symbol', 'undefined'].includes(typeof guard) ||
    typeof (guard as { description?: unknown })?.description === 'string'
  if (isGuard || isToken) return []
  const remedy = 'Give an instance with canActivate(req, route), a class, or a token.'
  return [invalid('auth.guard', 'It has no method canActivate.', remedy)]
}

/** Checks `auth.credentials`. A wrong name would never be found, so a request with credentials would be anonymous. */
function checkCredentials(credentials: unknown): Problem[] {
  if (credentials === undefined) return []
  const remedy = "Give names of headers and cookies: ['authorization', 'cookie:session']."
  if (!Array.isArray(credentials) || credentials.length === 0) {
    return [invalid('auth.credentials', `${shown(credentials)} is no list of names.`, remedy)]
  }
  return credentials
    .filter((name) => !isCredentialName(name))
    .map((name) =>
      invalid('auth.credentials', `${shown(name)} is no name of a header or cookie.`, remedy),
    )
}

/** The name of a cookie is a token, as that of a header is (RFC 6265, 4.1.1; RFC 9110, 5.1). */
function isCredentialName(given: unknown): boolean {
  if (typeof given !== 'string') return false
  try {
    validateHeaderName(given.startsWith(COOKIE_PREFIX) ? given.slice(COOKIE_PREFIX.length) : given)
    return true
  } catch {
    return false
  }
}
