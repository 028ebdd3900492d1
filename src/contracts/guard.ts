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

/** The parts of an application that a guard can use: `get`, which returns the instance of a token, and the logger. */
export interface GuardSetup extends Pick<PluginContext, 'get' | 'logger'> {}

/**
 * Decides whether a request is allowed to continue. It can set `req.user`.
 *
 * Only the value `true` allows the request. If the guard returns any other value, throws, or rejects, the request is
 * refused with 401; a thrown HTTP error keeps its own status. An error that indicates a fault in the guard, such as a
 * `TypeError` or a failed connection to a server, is also logged.
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
   * @param route The matched route; `undefined` for a router of `tenantRouter`, and for the routes of metrics and
   * health.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a guard may declare Express' request type or its own
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
  /** The security scheme in the OpenAPI document. Default: `{ type: 'http', scheme: 'bearer' }`. */
  readonly security?: OpenApiSecurityScheme
  /** The scopes of an operation in the OpenAPI document, for OAuth2 and OpenID Connect. Default: none. */
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
   * even if the route also accepts other guards. Default: none.
   */
  contract?(route: RouteModel): RouteContract | null | undefined
  /**
   * Returns the tenant of the verified credential; `undefined` if it belongs to no tenant. The framework calls this
   * method right after `canActivate` has returned `true`. If the application has the `tenant` option, a guard with this
   * method confirms the tenant of a request, as `tenant.authorize` does. A request that specifies a tenant is refused
   * with 403 unless its credential belongs to the same tenant. A request that specifies no tenant acts for the tenant
   * of its credential. In a class, define the method on the prototype. If omitted, the guard confirms no tenant.
   */
  tenantOf?(req: Request): string | undefined
  /**
   * Declares that `canActivate` itself refuses a request that specifies a tenant other than its user's tenant. For
   * example, the guard compares `getTenantId()` with the user. No comparison is necessary if only the verified
   * credential can specify the tenant. The declaration only disables the warning `W_TENANT_UNVERIFIED`. In a class,
   * define it as a static member. Default `false`: boot warns about the guard if neither `tenantOf` nor
   * `tenant.authorize` confirms the tenant.
   */
  readonly checksTenant?: boolean
  /**
   * Returns the guard for one application. The framework calls this method once for each application, at boot.
   * Implement it if the guard has state that two applications must not share. The lifecycle hooks of the returned guard
   * are called like the hooks of a provider. Apart from the hooks and `canActivate`, all members are read from the
   * original guard. Default: the guard itself.
   */
  forApplication?(app: GuardSetup): AuthGuard<TUser> | Promise<AuthGuard<TUser>>
  /** The type of `req.user` on routes with this guard, for `Req<{ auth: typeof guard }>`. Only the compiler uses it. */
  readonly '~user'?: TUser
}

/** How the guards allowed a request. */
export interface AuthResult {
  /** The name of the guard that set `req.user`; `undefined` for `auth.guard`, which has no name. */
  readonly scheme: string | undefined
  /** The name of the guard that stored the request's key ID; key IDs are unique only within one guard. */
  readonly keyScheme: string | undefined
  /**
   * The tenants of the credentials, one entry for each guard with `tenantOf`; `undefined` for a credential without a
   * tenant.
   */
  readonly tenants: readonly (string | undefined)[]
}
