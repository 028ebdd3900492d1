import type { RouteModel } from './route-model.js'

/** Options of `@Auth`. */
export interface AuthDecoratorOptions {
  /**
   * Whether a request without credentials reaches the handler without the guard. A request that carries a credential
   * (`auth.credentials`) is refused with 401 unless the guard allows it. Default `false`: every request needs the guard.
   */
  readonly optional?: boolean
}

/**
 * Decides whether a request may continue. It may set `req.user`.
 *
 * Only the value `true` allows the request. Any other value, any throw and any rejection refuses it with 401; a
 * thrown HTTP error keeps its own status. An error that shows that the guard is broken, such as a `TypeError` or a
 * server that cannot be reached, is also logged.
 *
 * @example
 * class TokenGuard implements AuthGuard {
 *   async canActivate(req: Request, route?: RouteModel) {
 *     req.user = await users.byToken(req.get('authorization'))
 *     return req.user !== undefined && (route?.option(Internal) !== true || req.user.isStaff)
 *   }
 * }
 */
export interface AuthGuard {
  /**
   * Returns exactly `true`, or a promise of it, to let the request continue.
   *
   * @param route The matched route; `undefined` before a router of `tenantRouter`, whose routes are Express' own.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a guard may type its request as Express' or as its own
  canActivate(req: any, route?: RouteModel): boolean | Promise<boolean>
}
