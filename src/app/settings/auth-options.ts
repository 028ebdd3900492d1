import type { AuthGuard } from '../../contracts/guard.js'
import type { Request, User } from '../../contracts/handler.js'
import type { Token } from '../../contracts/provider.js'
import { invalid, type Problem } from '../../errors/config-error.js'
import { type OptionGroup, type OptionNames, unknownOptions } from '../../errors/option-group.js'
import { type CredentialPlaces, credentialPlaces } from '../../http/credentials.js'
import {
  checkCredentials,
  checkGuard,
  checkGuards,
  type GuardSettings,
  resolveGuard,
} from './guard-options.js'

// biome-ignore lint/suspicious/noExplicitAny: guards of an application have users of different types
type AnyGuard = AuthGuard<any>

/** The `auth` option. */
export interface AuthOptions {
  /**
   * The `AuthGuard` that runs before protected routes: an instance, a class, or a token.
   *
   * @defaultValue none; protected routes respond with 401
   */
  readonly guard?: AnyGuard | Token<AnyGuard>
  /**
   * Several guards by name, instead of `guard`. Each is an instance, a class or a token. `@Auth()` requires the first
   * guard; `@Auth('user', 'partner')` requires any of the named guards. A name consists of letters, digits and `_`, and
   * does not begin with a digit.
   *
   * @defaultValue none
   * @see docs/auth.md#several-schemes
   */
  readonly guards?: Readonly<Record<string, AnyGuard | Token<AnyGuard>>>
  /**
   * Whether a route without `@Auth`, `@Can` and `@Public` is `'public'` or `'protected'`.
   *
   * @defaultValue `'public'`
   */
  readonly default?: 'public' | 'protected'
  /**
   * Decides `@Can(...abilities)`: `(user, abilities, req)`. Only the value `true` allows the request. Any other value
   * results in a 403 response.
   *
   * @defaultValue all abilities must be in `req.user.permissions` or `req.user.roles`
   */
  readonly can?: (
    user: User | undefined,
    abilities: readonly string[],
    req: Request,
  ) => boolean | Promise<boolean>
  /**
   * Where credentials are in a request: header names, and cookie names as `'cookie:<name>'`. On a route with `@Auth({
   * optional: true })`, the guard runs for requests that carry one of these credentials. A guard that specifies its own
   * credentials, such as `jwt()`, uses only those.
   *
   * @defaultValue `['authorization']`
   * @see docs/auth.md#optional-auth
   */
  readonly credentials?: readonly string[]
}

/** The `auth` option, resolved. */
export interface AuthSettings {
  /** The guards, starting with the default guard; empty if the application has none. */
  readonly guards: readonly GuardSettings[]
  /** The names of `auth.guards`; empty without this option. */
  readonly names: readonly string[]
  /** The access of a route without `@Auth`, `@Can` and `@Public`. */
  readonly defaultAccess: 'public' | 'protected'
  /** The function that decides `@Can`; `undefined` if the user's permissions and roles decide. */
  readonly can: AuthOptions['can']
  /** The places of the credentials of all guards. */
  readonly credentials: CredentialPlaces
}

type Option = AuthOptions | undefined

const NAMES: OptionNames<AuthOptions> = {
  guard: true,
  guards: true,
  default: true,
  can: true,
  credentials: true,
}

/** The `auth` option. An unknown name is an error, because a misspelt `guard` would leave routes without a guard. */
export const authGroup: OptionGroup<Option, AuthSettings> = {
  unknown: (auth) => unknownOptions('auth.', auth, NAMES),
  check: (auth) => [
    ...checkRules(auth),
    ...checkGuard('auth.guard', auth?.guard, true),
    ...checkGuards(auth?.guards, auth?.guard),
    ...checkCredentials('auth.credentials', auth?.credentials),
  ],
  resolve(auth) {
    const { guard, guards: named = {}, default: defaultAccess = 'public', can } = auth ?? {}
    const { credentials: places = ['authorization'] } = auth ?? {}
    const guards = [
      ...(guard === undefined ? [] : [resolveGuard(null, guard, places)]),
      ...Object.entries(named).map(([name, entry]) => resolveGuard(name, entry, places)),
    ]
    return Object.freeze({
      guards: Object.freeze(guards),
      names: Object.freeze(Object.keys(named)),
      defaultAccess,
      can,
      credentials: allPlaces(guards, places),
    })
  },
}

/** The credential places of all guards; for an application without a guard, the places in the option. */
function allPlaces(guards: readonly GuardSettings[], places: readonly string[]): CredentialPlaces {
  const all = guards.length === 0 ? [credentialPlaces(places)] : guards.map((each) => each.places)
  return Object.freeze({
    headers: Object.freeze([...new Set(all.flatMap(({ headers }) => headers))]),
    cookies: Object.freeze([...new Set(all.flatMap(({ cookies }) => cookies))]),
  })
}

/**
 * Checks `auth.default` and `auth.can`. An unknown default must be an error, because it would leave every route
 * public.
 */
function checkRules(auth: Option): Problem[] {
  const problems: Problem[] = []
  if (!['public', 'protected', undefined].includes(auth?.default)) {
    const cause = `${String(auth?.default)} is not a valid value for undecorated routes.`
    problems.push(invalid('auth.default', cause, "Pass 'public' or 'protected'."))
  }
  if (auth?.can !== undefined && typeof auth.can !== 'function') {
    const remedy = 'Pass (user, abilities, req) => boolean.'
    problems.push(invalid('auth.can', 'It is not a function.', remedy))
  }
  return problems
}
