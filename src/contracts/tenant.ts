import type { Request } from './handler.js'

/**
 * The tenant for which the current code runs, as a frozen object. The object is small, because Node retains it as long
 * as any operation that began in its async context.
 */
export interface TenantScope {
  /**
   * The ID of the tenant; `undefined` if the request specifies no tenant, or is not allowed to act for the specified
   * tenant.
   */
  readonly id: string | undefined
  /** The tenant that the request specifies, until `tenant.authorize` has allowed it. */
  readonly claim?: string
  /**
   * Whether the guard or `authorize` is deciding about the claim. During that time `getTenantId()` returns the claim.
   */
  readonly isDeciding?: true
  /**
   * An object that identifies the request or the `runWithTenant` call in which the scope began. Nested scopes share the
   * object. A scope that leaks from a pool or a callback has a different object.
   */
  readonly origin: object
  /** The number of enclosing scopes with the same origin. Default 0. */
  readonly depth?: number
  /** The application of the request; `undefined` outside an application. */
  readonly host: object | undefined
  /**
   * Whether the code runs for all tenants, inside `runWithoutTenant`. Absent for a request that specifies no tenant.
   */
  readonly isForAll?: true
}

/** Options of `@Tenant()`. */
export interface TenantDecoratorOptions {
  /**
   * Whether the route also accepts requests without a tenant. Default `false`: such a request is refused with 400.
   */
  readonly optional?: boolean
}

/** A tenant of the application. The application can add fields. */
export interface TenantInfo {
  /** The ID, as used in requests. */
  readonly id: string
  /**
   * Whether requests of the tenant are served. Default `'active'`. Requests of a suspended tenant are refused with 403.
   */
  readonly status?: 'active' | 'suspended'
}

/** Reads the tenant ID from a request; returns `undefined` if the request specifies no tenant. */
export type TenantStrategy = (req: Request) => string | undefined

/** Finds the tenants of the application. Results are cached for a limited time (`positiveTtl`, `negativeTtl`). */
export interface TenantStore {
  /** Returns the tenant with this ID; `null` or `undefined` if it does not exist. */
  find(id: string): TenantInfo | null | undefined | Promise<TenantInfo | null | undefined>
}
