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
  // biome-ignore lint/suspicious/noExplicitAny: a guard may type its request as Express' or as its own
  canActivate(req: any): boolean | Promise<boolean>
}
