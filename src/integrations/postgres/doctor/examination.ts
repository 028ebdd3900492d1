import type { Connection } from '../driver.js'

/** Whose database is looked at, and how. */
export interface DoctorOptions {
  /** The role that statements run as where tenants are used. */
  readonly tenantRole: string
  /** The role of `withoutTenant`. */
  readonly allTenantsRole: string
  /** Whether the database runs in this process: its only login is a superuser then, which is no finding. */
  readonly isEmbedded: boolean
}

/** What those who look at a part of the database are given. */
export interface Examination extends DoctorOptions {
  readonly connection: Connection
  /** Who has logged in. */
  readonly login: string
  /** As `server_version_num`: 150004 is 15.4. */
  readonly version: number
  readonly tables: readonly TenantTable[]
  /** Those that nothing can be said about. */
  readonly lockedTables: readonly TenantTable[]
}

/** A table with a column `tenant_id`. */
export interface TenantTable {
  readonly oid: number
  readonly schema: string
  readonly name: string
  /** With its schema, quoted where it must be. */
  readonly fullName: string
  /** `r` is a table, `p` a partitioned one, `f` a foreign one. */
  readonly kind: string
  readonly owner: string
  readonly isEnabled: boolean
  readonly isForced: boolean
  /** Whether it is a partition, or inherits. */
  readonly isChild: boolean
  /** Whether `tenant_id` is `NOT NULL`. */
  readonly isRequired: boolean
  readonly hasDefault: boolean
  /** Whether an index begins with `tenant_id`. */
  readonly isIndexed: boolean
  /** Of `tenant_id`, as `format_type` names it. */
  readonly type: string
  /** Whether the tenants' role may do anything with it. */
  readonly isReachable: boolean
  /** Whether somebody has it for himself, or waits for that. */
  readonly isLocked: boolean
  /** Privileges of the tenants' role that row-level security does not hold back. */
  readonly dangers: readonly string[]
}
