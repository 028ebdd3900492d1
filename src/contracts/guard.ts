import type { Request, User } from './handler.js'
import type { OpenApiSecurityScheme } from './openapi.js'
import type { PluginContext } from './plugin.js'
import type { RouteContract } from './route-contract.js'
import type { RouteModel } from './route-model.js'

/** Options of `@Auth`. */
export interface AuthDecoratorOptions {
  /**
   * Whether a request without credentials reaches the handler without the guard. A request that carries a credential
   * (`auth.credentials`) is refused with 401 unless the guard allows it. With several guards, a request with a
   * credential in the place of a guard needs them. Default `false`: every request needs the guard.
   */
  readonly optional?: boolean
}

/** The parts of an application that a guard may use: `get` returns the instance of a token. */
export interface GuardSetup extends Pick<PluginContext, 'get' | 'logger'> {}

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
export interface AuthGuard<TUser = User> {
  /**
   * Returns exactly `true`, or a promise of `true`, to let the request continue.
   *
   * @param route The matched route; `undefined` before a router of `tenantRouter`, whose routes are Express' own.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a guard may type its request as Express' or as its own
  canActivate(req: any, route?: RouteModel): boolean | Promise<boolean>
  /**
   * The places of the credential: names of headers, and of cookies as `'cookie:<name>'`.
   * Default: `auth.credentials`, which is `['authorization']`.
   */
  readonly credentials?: readonly string[]
  /**
   * Returns whether a request carries a credential for this guard, right or wrong, where several guards read the same
   * place. Default: whether one of `credentials` is there.
   */
  carries?(req: Request): boolean
  /** The security scheme in the document. Default: `{ type: 'http', scheme: 'bearer' }`. */
  readonly security?: OpenApiSecurityScheme
  /** The scopes that an operation requires in the document, for OAuth2 and OpenID Connect. Default: none. */
  scopes?(route: RouteModel): readonly string[]
  /**
   * The challenge in `WWW-Authenticate` of a 401 of this guard (RFC 9110, 11.6.1). Where a route accepts several guards,
   * the 401 has the challenge of each. Default: `Bearer`.
   */
  readonly challenge?: string
  /**
   * Returns the challenge in `WWW-Authenticate` of a 403 of `@Can`, for a request that this guard has let in: RFC 6750,
   * 3.1, has a challenge with the scopes that a token needs. It is called once for each route, at boot. Default: a 403
   * has no challenge.
   *
   * @param abilities The abilities that the route needs.
   */
  abilityChallenge?(abilities: readonly string[]): string | undefined
  /**
   * Additions of the guard to the operation of a route that it protects, besides 401, also where the route accepts
   * other guards. Default: nothing.
   */
  contract?(route: RouteModel): RouteContract | null | undefined
  /**
   * Returns the tenant that the verified credential belongs to, right after `canActivate` has returned `true`. A guard
   * with this method confirms the tenant of a request as `tenant.authorize` does, if the application has the `tenant`
   * option: a request that names another tenant, or names one although its credential belongs to none (`undefined`), is
   * refused with 403. A request that names no tenant acts for the tenant of its credential. A class has the method on
   * its prototype. Default: the guard confirms no tenant.
   */
  tenantOf?(req: Request): string | undefined
  /**
   * States that `canActivate` itself compares the tenant that a request names with its user, and refuses others: by
   * `getTenantId()`, or because a request can name its tenant only by the credential that the guard verifies. The statement
   * changes nothing but the warning `W_TENANT_UNVERIFIED`. A class has it as a static member. Default `false`: boot warns of
   * the guard if neither `tenantOf` nor `tenant.authorize` confirms the tenant.
   */
  readonly checksTenant?: boolean
  /**
   * Called once for each application, at boot. Returns the guard that this application runs, for a guard with state
   * that two applications must not share. Its `onInit`, `onReady` and `onClose` are called like the hooks of a
   * provider. The other members are read from the original guard. Default: the guard itself.
   */
  forApplication?(app: GuardSetup): AuthGuard<TUser> | Promise<AuthGuard<TUser>>
  /** The type of `req.user` behind this guard, for `Req<{ auth: typeof guard }>`. It exists for the compiler only. */
  readonly '~user'?: TUser
}

/** How the guards let a request in. */
export interface AuthResult {
  /** The name of the guard that set `req.user`; `undefined` for `auth.guard`, which has no name. */
  readonly scheme: string | undefined
  /** The name of the guard that stored the id of a key; ids are unique only for their guard. */
  readonly keyScheme: string | undefined
  /**
   * The tenants of the credentials, one for each guard with `tenantOf`; `undefined` for a credential without a tenant.
   */
  readonly tenants: readonly (string | undefined)[]
}
