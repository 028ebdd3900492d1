import type { Connection } from '../driver.js'
import type { ComparedColumn } from './bound-column.js'

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
export interface Examination extends DoctorOptions, Setting {
  readonly connection: Connection
  /** Everything of the database's user that rows are read from, or counted by. */
  readonly relations: readonly Relation[]
  readonly tables: readonly TenantTable[]
  /** Those that nothing can be said about. */
  readonly lockedRelations: readonly Relation[]
}

/** Who is who. */
export interface Setting {
  /** Who has logged in. */
  readonly login: string
  /** As `server_version_num`: 150004 is 15.4. */
  readonly version: number
  /**
   * The role of tenants and all that it may become (`oid`), but for those that are a finding by themselves: superusers, roles of PostgreSQL, that of all tenants. Empty
   * where there is no such role.
   */
  readonly tenantRoles: readonly number[]
  /** The login and all whose privileges it has without a word, but for the above. Empty for a superuser, who needs none. */
  readonly loginRoles: readonly number[]
  /** Whether the login may become the role of tenants. */
  readonly mayBecomeTenant: boolean
}

/** A table, a view or a sequence. */
export interface Relation {
  readonly oid: number
  readonly schema: string
  readonly name: string
  /** With its schema, quoted where it must be. */
  readonly fullName: string
  /** `r` is a table, `p` a partitioned one, `f` a foreign one, `v` a view, `m` a materialized one, `S` a sequence. */
  readonly kind: string
  readonly owner: string
  /** Whether row-level security is on. */
  readonly isEnabled: boolean
  readonly isForced: boolean
  /** Whether it is a partition, or inherits. */
  readonly isChild: boolean
  /** Whether it is a view that reads as who asks. */
  readonly isInvoker: boolean
  /** What its comment says of who may use it: all tenants may read it, or write it as well. */
  readonly sharing: 'none' | 'reading' | 'writing'
  /** What the tenants' role may do with it, or a part of its columns: `select`, … */
  readonly privileges: readonly string[]
  /** To whom that was granted. */
  readonly grantees: readonly string[]
  /** What was granted to the login itself, or to those whose privileges it has without a word. */
  readonly loginPrivileges: readonly string[]
  /** To which of them. */
  readonly loginGrantees: readonly string[]
  /** Whether somebody has it for himself, or waits for that. */
  readonly isLocked: boolean
  /** Whether the tenants' role may do anything with it. */
  readonly isReachable: boolean
  readonly column: TenantColumn | null
}

/** A table with a column `tenant_id`. */
export interface TenantTable extends Relation {
  readonly column: TenantColumn
}

/** The column `tenant_id`. */
export interface TenantColumn extends ComparedColumn {
  /** Of the type itself, or of what its domain is made of. */
  readonly baseType: string
  /** The most characters that it holds; `null` where there is no such limit. */
  readonly length: number | null
  /** Whether it is `NOT NULL`. */
  readonly isRequired: boolean
  readonly hasDefault: boolean
  /** Whether an index begins with it. */
  readonly isIndexed: boolean
}
