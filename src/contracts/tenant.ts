import type { Request } from './handler.js'

/**
 * The tenant that the current code runs for. Small and frozen: Node keeps the object as long as anything that was
 * started in its async context.
 */
export interface TenantScope {
  /** The id of the tenant; `undefined` if the request names no tenant, or may not act for the named tenant. */
  readonly id: string | undefined
  /** The named tenant, until `tenant.authorize` has allowed it. */
  readonly claim?: string
  /**
   * Whether the guard or `authorize` is deciding about the claim. During that time `getTenantId()` returns the claim.
   */
  readonly isDeciding?: true
  /**
   * The same object in every scope that began in one request or one `runWithTenant`. A nested scope shares it. A scope
   * from a pool or a lost callback has another object.
   */
  readonly origin: object
  /** The number of enclosing scopes with the same origin. Default 0. */
  readonly depth?: number
  /** The application of the request; `undefined` outside of an application. */
  readonly host: object | undefined
  /** Whether the code runs for all tenants, by `runWithoutTenant`. `false` for a request that names no tenant. */
  readonly isForAll?: true
}

/** Options of `@Tenant()`. */
export interface TenantDecoratorOptions {
  /**
   * Whether the route also accepts requests without a tenant. Default `false`: such a request is refused with 400.
   */
  readonly optional?: boolean
}

/** A tenant of the application, which may add other fields. */
export interface TenantInfo {
  /** The id, as used in requests. */
  readonly id: string
  /**
   * Whether the tenant may be served now. Default `'active'`. Requests of a suspended tenant are refused with 403.
   */
  readonly status?: 'active' | 'suspended'
}

/** Reads the id of the tenant from a request; returns `undefined` if the request names none. */
export type TenantStrategy = (req: Request) => string | undefined

/** Finds the tenants of the application. Results are cached for a time (`positiveTtl`, `negativeTtl`). */
export interface TenantStore {
  /** Returns the tenant with an id; `null` or `undefined` if it does not exist. */
  find(id: string): TenantInfo | null | undefined | Promise<TenantInfo | null | undefined>
}
