import type { Request } from './handler.js'

/** Whose work is being done. Small and frozen: Node keeps it for as long as anything that was started in it. */
export interface TenantScope {
  /** `undefined` where a request names no tenant, or none that it may act for. */
  readonly id: string | undefined
  /** The tenant that the request names, where `tenant.authorize` has not said yet that it may act for it. */
  readonly claim?: string
  /** Whether the guard or `authorize` runs, which decide about the claim: `getTenantId()` is the claim then. */
  readonly isAsked?: true
  /**
   * The same object in every scope that began in one request or one `runWithTenant`. A nested scope shares it; the scope
   * that a pool or a lost callback brings along does not.
   */
  readonly origin: object
  /** How many others it was made within, of the same origin. Default 0. */
  readonly depth?: number
  /** The application whose request it is; `undefined` outside of one. */
  readonly host: object | undefined
  /** Whether it is meant for all tenants, as `runWithoutTenant` says; a request that names none is not. */
  readonly isForAll?: true
}

/** Whose work is being done now: the port by which features that keep something apart by tenant ask. */
export type CurrentTenant = () => string | undefined

/** Options of `@Tenant()`. */
export interface TenantDecoratorOptions {
  /** Whether the route also answers requests of no tenant. Default `false`: these are 400. */
  readonly optional?: boolean
}

/** A tenant as the application knows it. What else it holds is the application's business. */
export interface TenantInfo {
  /** As requests name it. */
  readonly id: string
  /** Whether it may be served now. Default `'active'`. A suspended tenant is 403. */
  readonly status?: 'active' | 'suspended'
}

/** Reads the tenant's id from a request; `undefined` when the request does not say. */
export type TenantStrategy = (req: Request) => string | undefined

/** Who the tenants are. Answers are remembered for a while (`positiveTtl`, `negativeTtl`). */
export interface TenantStore {
  /** The tenant of an id; `null` or `undefined` when there is none. */
  find(id: string): TenantInfo | null | undefined | Promise<TenantInfo | null | undefined>
}
