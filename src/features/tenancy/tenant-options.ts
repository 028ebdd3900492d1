import type { Request, User } from '../../contracts/handler.js'
import type { TenantStore, TenantStrategy } from '../../contracts/tenant.js'
import type { Duration } from '../../contracts/units.js'

/** Where a request says whose it is, and what is believed of that. */
export interface TenantSourceOptions {
  /** The header that carries the tenant's id; `false` for none. Default `'x-tenant-id'`. Wins over all other sources. */
  readonly header?: string | false
  /**
   * The claim of the bearer's JWT that carries the id, read without verifying the token, which is the guard's business.
   * Default: none.
   */
  readonly jwtClaim?: string
  /** Other places, asked in order where neither header nor claim names a tenant. Default: none. */
  readonly strategies?: readonly TenantStrategy[]
  /**
   * What ids look like; the whole id must match. Anything else is 400. Default `/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/`. More than
   * 256 characters, and names like `__proto__`, are never ids.
   */
  readonly pattern?: RegExp
  /**
   * When two sources name different tenants: `'header'` takes the first of header, claim and strategies, `'reject'` answers 403.
   * Default `'header'`.
   */
  readonly onMismatch?: 'header' | 'reject'
  /** Who the tenants are: an unknown one is 404, a suspended one 403. Default: every id is taken. */
  readonly store?: TenantStore
  /** How long `store` is believed about a tenant that exists. Default 60 s. */
  readonly positiveTtl?: Duration
  /** How long `store` is believed about one that does not. Default 5 s. */
  readonly negativeTtl?: Duration
}

/** Options of `createTenantMiddleware`. */
export interface TenantMiddlewareOptions extends TenantSourceOptions {
  /** Whether a request that names no tenant is 400. Default `false`. */
  readonly required?: boolean
}

/**
 * The `tenant` option. Naming a tenant identifies a request and authorises nothing: see `authorize`.
 *
 * @example
 * tenant: { authorize: (req, id, user) => user?.tenants.includes(id) === true }
 */
export interface TenantOptions extends TenantSourceOptions {
  /** Whether every route needs a tenant, unless it says `@Tenant({ optional: true })`. Without one it is 400. Default `false`. */
  readonly required?: boolean
  /**
   * Decides whether a request may act for the tenant that it names: exactly `true` allows, everything else is 403. Asked after
   * the guard, where there is a tenant, on every route but those that are open to everybody and have no `@Tenant`, such as a login; `user` is
   * `undefined` where no guard has set one. Default: all are allowed.
   */
  readonly authorize?: (
    req: Request,
    tenantId: string,
    user: User | undefined,
  ) => boolean | Promise<boolean>
}

/** The header that is read where the application does not say. */
export const DEFAULT_HEADER = 'x-tenant-id'

/** The header that carries the tenant, in lower case; `null` when none does. */
export function tenantHeader({ header = DEFAULT_HEADER }: TenantSourceOptions): string | null {
  return header === false ? null : header.toLowerCase()
}
