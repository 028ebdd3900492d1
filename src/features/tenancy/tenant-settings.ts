import type { Request, User } from '../../contracts/handler.js'
import type { TenantStore, TenantStrategy } from '../../contracts/tenant.js'

/** Decides whether a request may act for the tenant that it names. Only the result `true` allows it. */
export type AuthorizeTenant = (
  req: Request,
  tenantId: string,
  user: User | undefined,
) => boolean | Promise<boolean>

/** The options of `createTenantMiddleware`, resolved. */
export interface TenantSourceSettings {
  /** In lower case; `null` when no header names the tenant. */
  readonly header: string | null
  readonly jwtClaim: string | null
  readonly strategies: readonly TenantStrategy[]
  readonly pattern: RegExp
  readonly onMismatch: 'header' | 'reject'
  /** `null` when every id is a tenant. */
  readonly store: TenantStore | null
  readonly positiveMs: number
  readonly negativeMs: number
  readonly isRequired: boolean
}

/** The `tenant` option, resolved. */
export interface TenantSettings extends TenantSourceSettings {
  /** `null` when a request may act for every tenant that it names. */
  readonly authorize: AuthorizeTenant | null
  /** The guards of the application, the default one first. */
  readonly guards: readonly TenantGuard[]
}

/** The facts about a guard that decide whether it confirms tenants. */
export interface TenantGuard {
  /** The name in `auth.guards`; `null` for `auth.guard`. */
  readonly name: string | null
  /** Whether it has `tenantOf`. */
  readonly confirmsTenant: boolean
  /** Whether it states that `canActivate` checks the tenant itself. */
  readonly checksTenant: boolean
}
