import type { Request, User } from './handler.js'
import type { OpenApiSecurityScheme } from './openapi.js'
import type { PluginContext } from './plugin.js'
import type { RouteContract } from './route-contract.js'
import type { RouteModel } from './route-model.js'

/** Options of `@Auth`. */
export interface AuthDecoratorOptions {
  /**
   * Whether a request without credentials skips the guard and reaches the handler. A request that carries a credential
   * (`auth.credentials`) is refused with 401 unless the guard allows the request. If there are several guards, each
   * guard for which the request carries a credential must allow it. Default `false`: the guard must allow every
   * request.
   */
  readonly optional?: boolean
}

/** The parts of an application that a guard can use: `get` returns the instance of a token. */
export interface GuardSetup extends Pick<PluginContext, 'get' | 'logger'> {}

/**
 * Decides whether a request is allowed to continue. It can set `req.user`.
 *
 * Only the value `true` allows the request. If the guard returns any other value, throws, or rejects, the request is
 * refused with 401; a thrown HTTP error keeps its own status. An error that shows that the guard is broken, such as a
 * `TypeError` or a server that cannot be reached, is also logged.
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
   * @param route The matched route; `undefined` before a router of `tenantRouter`, whose routes belong to Express.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a guard may type its request as Express' or as its own
  canActivate(req: any, route?: RouteModel): boolean | Promise<boolean>
  /**
   * Where the guard reads the credential: header names, and cookie names as `'cookie:<name>'`. Default:
   * `auth.credentials`, which is `['authorization']`.
   */
  readonly credentials?: readonly string[]
  /**
   * Returns whether a request carries a credential for this guard, valid or not. Implement this method if several
   * guards read the same place. Default: whether the request has one of `credentials`.
   */
  carries?(req: Request): boolean
  /** The security scheme in the document. Default: `{ type: 'http', scheme: 'bearer' }`. */
  readonly security?: OpenApiSecurityScheme
  /** The scopes that an operation requires in the document, for OAuth2 and OpenID Connect. Default: none. */
  scopes?(route: RouteModel): readonly string[]
  /**
   * The `WWW-Authenticate` challenge of the guard's 401 responses (RFC 9110, 11.6.1). If a route accepts several
   * guards, the 401 response contains the challenge of each guard. Default: `Bearer`.
   */
  readonly challenge?: string
  /**
   * Returns the `WWW-Authenticate` challenge of the 403 responses of `@Can`, for requests that this guard has allowed.
   * RFC 6750, 3.1, defines a challenge with the scopes that a token needs. The framework calls this method once for
   * each route, at boot. If omitted, a 403 response has no challenge.
   *
   * @param abilities The abilities that the route needs.
   */
  abilityChallenge?(abilities: readonly string[]): string | undefined
  /**
   * Returns the guard's additions to the operation of a route that it protects, besides the 401 response. They apply
   * even if the route accepts other guards. Default: none.
   */
  contract?(route: RouteModel): RouteContract | null | undefined
  /**
   * Returns the tenant of the verified credential. The framework calls this method right after `canActivate` has
   * returned `true`. A guard with this method confirms the tenant of a request as `tenant.authorize` does, if the
   * application has the `tenant` option: a request that specifies another tenant, or specifies a tenant although its
   * credential belongs to none (`undefined`), is refused with 403. A request that specifies no tenant acts for the
   * tenant of its credential. In a class, define the method on the prototype. If omitted, the guard confirms no tenant.
   */
  tenantOf?(req: Request): string | undefined
  /**
   * Declares that `canActivate` itself checks the tenant that a request specifies against its user, and refuses other
   * tenants: with `getTenantId()`, or because a request can specify its tenant only by the credential that the guard
   * verifies. The declaration only disables the warning `W_TENANT_UNVERIFIED`. In a class, define it as a static
   * member. Default `false`: boot warns about the guard if neither `tenantOf` nor `tenant.authorize` confirms the
   * tenant.
   */
  readonly checksTenant?: boolean
  /**
   * Returns the guard for one application. The framework calls this method once for each application, at boot.
   * Implement it if the guard has state that two applications must not share. The lifecycle hooks of the returned guard
   * are called like the hooks of a provider. Its other members, except `canActivate`, are read from the original guard.
   * Default: the guard itself.
   */
  forApplication?(app: GuardSetup): AuthGuard<TUser> | Promise<AuthGuard<TUser>>
  /** The type of `req.user` behind this guard, for `Req<{ auth: typeof guard }>`. It exists for the compiler only. */
  readonly '~user'?: TUser
}

/** How the guards allowed a request. */
export interface AuthResult {
  /** The name of the guard that set `req.user`; `undefined` for `auth.guard`, which has no name. */
  readonly scheme: string | undefined
  /** The name of the guard that stored the ID of a key; IDs are unique only within their guard. */
  readonly keyScheme: string | undefined
  /**
   * The tenants of the credentials, one entry for each guard with `tenantOf`; `undefined` for a credential without a
   * tenant.
   */
  readonly tenants: readonly (string | undefined)[]
}
