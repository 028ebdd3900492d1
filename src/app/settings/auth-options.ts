import type { AuthGuard } from '../../contracts/guard.js'
import type { Request, User } from '../../contracts/handler.js'
import type { Token } from '../../contracts/provider.js'
import type { Problem } from '../../errors/config-error.js'
import { invalid } from '../../errors/invalid.js'
import { type Names, type OptionGroup, refusedNames } from '../../errors/option-group.js'

/** The `auth` option. */
export interface AuthOptions {
  /**
   * The `AuthGuard` that protected routes ask: an instance, a class, or a token.
   *
   * @defaultValue none: protected routes respond with 401
   */
  readonly guard?: AuthGuard | Token<AuthGuard>
  /**
   * Whether a route without `@Auth`, `@Can` or `@Public` is `'public'` or `'protected'`.
   *
   * @defaultValue `'public'`
   */
  readonly default?: 'public' | 'protected'
  /**
   * Decides `@Can(...abilities)`: `(user, abilities, req)`. Exactly `true` allows, everything else is 403.
   *
   * @defaultValue every ability is in `req.user.permissions` or `req.user.roles`
   */
  readonly can?: (
    user: User | undefined,
    abilities: readonly string[],
    req: Request,
  ) => boolean | Promise<boolean>
}

/** The `auth` option, resolved. */
export interface AuthSettings {
  /** `null` where the application has no guard. */
  readonly guard: AuthGuard | Token<AuthGuard> | null
  /** What a route is that says nothing. */
  readonly defaultAccess: 'public' | 'protected'
  /** `undefined` where the abilities of the user decide. */
  readonly can: AuthOptions['can']
}

type Option = AuthOptions | undefined

const NAMES: Names<AuthOptions> = { guard: true, default: true, can: true }

/** The `auth` option. A guard that is misspelt is no guard, so an unknown name is an error. */
export const authGroup: OptionGroup<Option, AuthSettings> = {
  unknown: (auth) => refusedNames('auth.', auth, NAMES),
  check: (auth) => [...checkRules(auth), ...checkGuard(auth?.guard)],
  resolve(auth) {
    const { guard = null, default: defaultAccess = 'public', can } = auth ?? {}
    return Object.freeze({ guard, defaultAccess, can })
  },
}

/** A default that is neither would leave every route open. */
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
  // The container resolves a class, a string, a symbol and an InjectionToken, and says which of them nothing provides.
  const isToken =
    ['function', 'string', 'symbol', 'undefined'].includes(typeof guard) ||
    typeof (guard as { description?: unknown })?.description === 'string'
  if (isGuard || isToken) return []
  const remedy = 'Give an instance with canActivate(req), a class, or a token.'
  return [invalid('auth.guard', 'It has no method canActivate.', remedy)]
}
