import type { Request, User } from './handler.js'
import type { Token } from './provider.js'

/**
 * Decides whether a request may go on. It may set `req.user`.
 *
 * Only the value `true` allows the request. Any other value, any throw and any rejection refuses it with 401; a
 * thrown HTTP error keeps its own status. An error that shows that the guard is broken, such as a `TypeError` or a
 * server that cannot be reached, is also logged.
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
  // biome-ignore lint/suspicious/noExplicitAny: a guard may type its request as Express' or as its own
  canActivate(req: any): boolean | Promise<boolean>
}

/** The `auth` option. */
export interface AuthOptions {
  /** A guard, a class, or a token that provides a guard. Default: none, and protected routes respond with 401. */
  readonly guard?: AuthGuard | Token<AuthGuard>
  /** Whether a route without `@Auth`, `@Can` and `@Public` needs the guard. Default `'public'`. */
  readonly default?: 'public' | 'protected'
  /**
   * Decides `@Can(...abilities)`: only the value `true` allows, everything else responds with 403. Default: every
   * ability must be in `req.user.permissions` or `req.user.roles`.
   */
  readonly can?: (
    user: User | undefined,
    abilities: readonly string[],
    req: Request,
  ) => boolean | Promise<boolean>
}
