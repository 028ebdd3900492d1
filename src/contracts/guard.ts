import type { Request, User } from './handler.js'
import type { Token } from './provider.js'

/**
 * Decides whether a request may go on. It may set `req.user`.
 *
 * Exactly `true` allows. Any other value, any throw and any rejection denies with 401, except that
 * a thrown HTTP error keeps its own status (specification section 5, `AuthGuard`). An error that says that the guard is broken, a
 * `TypeError` or a server that cannot be reached, is logged.
 *
 * @example
 * class TokenGuard implements AuthGuard {
 *   async canActivate(req: Request) {
 *     req.user = await users.byToken(req.get('authorization'))
 *     return req.user !== undefined
 *   }
 * }
 */
export interface AuthGuard {
  /** Returns exactly `true`, or a promise of it, to let the request go on. */
  // biome-ignore lint/suspicious/noExplicitAny: a guard may type its request as Express' or as its own
  canActivate(req: any): boolean | Promise<boolean>
}

/** The `auth` option. */
export interface AuthOptions {
  /** An instance, a class or a token that provides one. */
  readonly guard?: AuthGuard | Token<AuthGuard>
  /** What a route without `@Auth`, `@Can` or `@Public` is. Default `'public'`. */
  readonly default?: 'public' | 'protected'
  /**
   * Decides `@Can(...abilities)`; exactly `true` allows, everything else is 403.
   * Default: every ability is in `req.user.permissions` or `req.user.roles`.
   */
  readonly can?: (
    user: User | undefined,
    abilities: readonly string[],
    req: Request,
  ) => boolean | Promise<boolean>
}
