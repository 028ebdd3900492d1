import type { AuthGuard } from '../../contracts/guard.js'
import type { Request, User } from '../../contracts/handler.js'
import type { Token } from '../../contracts/provider.js'
import type { Problem } from '../../errors/config-error.js'
import { invalid } from '../../errors/invalid.js'
import { type Names, type OptionGroup, refusedNames } from '../../errors/option-group.js'

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
}

/** The `auth` option, resolved. */
export interface AuthSettings {
  /** `null` if the application has no guard. */
  readonly guard: AuthGuard | Token<AuthGuard> | null
  /** The access of a route without `@Auth`, `@Can` and `@Public`. */
  readonly defaultAccess: 'public' | 'protected'
  /** `undefined` if the permissions and roles of the user decide. */
  readonly can: AuthOptions['can']
}

type Option = AuthOptions | undefined

const NAMES: Names<AuthOptions> = { guard: true, default: true, can: true }

/** The `auth` option. An unknown name is an error, because a misspelt `guard` would leave routes without a guard. */
export const authGroup: OptionGroup<Option, AuthSettings> = {
  unknown: (auth) => refusedNames('auth.', auth, NAMES),
  check: (auth) => [...checkRules(auth), ...checkGuard(auth?.guard)],
  resolve(auth) {
    const { guard = null, default: defaultAccess = 'public', can } = auth ?? {}
    return Object.freeze({ guard, defaultAccess, can })
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
