import type { ConfigCode, Problem } from '../../../plugin/index.js'
import type { Connection } from '../driver.js'
import type { ComparedColumn } from './bound-column.js'

/** The options of the doctor. */
export interface DoctorOptions {
  /** The role as which statements run when the application uses tenants. */
  readonly tenantRole: string
  /** The role of `withoutTenant`. */
  readonly allTenantsRole: string
  /**
   * Whether the database runs in this process. Its only login is then a superuser, which is not a
   * finding.
   */
  readonly isEmbedded: boolean
}

/** The data that every check of the doctor receives. */
export interface Examination extends DoctorOptions, Setting {
  readonly connection: Connection
  /** All tables, views and sequences of the user, without the locked ones. */
  readonly relations: readonly Relation[]
  readonly tables: readonly TenantTable[]
  /** The relations that were locked, so that they could not be checked. */
  readonly lockedRelations: readonly Relation[]
}

/** The login, the roles and the version of the server. */
export interface Setting {
  /** The role with which the application has logged in. */
  readonly login: string
  /** The version as `server_version_num`: 150004 is 15.4. */
  readonly version: number
  /**
   * The ids (`oid`) of the role of tenants and of all roles that it may become. Roles that are
   * findings themselves are left out: superusers, roles of PostgreSQL and the role of all tenants.
   * Empty if the role of tenants does not exist.
   */
  readonly tenantRoles: readonly number[]
  /**
   * The ids of the login and of all roles whose privileges it inherits, with the same exceptions.
   * Empty for a superuser, who needs no privileges.
   */
  readonly loginRoles: readonly number[]
  /** Whether the login may become the role of tenants. */
  readonly mayBecomeTenant: boolean
}

/** A table, a view or a sequence. */
export interface Relation {
  readonly oid: number
  readonly schema: string
  readonly name: string
  /** The name with its schema, quoted if necessary. */
  readonly fullName: string
  /**
   * `r` is a table, `p` a partitioned table, `f` a foreign table, `v` a view, `m` a materialized
   * view, `S` a sequence.
   */
  readonly kind: string
  readonly owner: string
  /** Whether row-level security is on. */
  readonly isEnabled: boolean
  readonly isForced: boolean
  /** Whether it is a partition or inherits from another table. */
  readonly isChild: boolean
  /** Whether it is a view that reads with the privileges of the role that queries it. */
  readonly isInvoker: boolean
  /**
   * How all tenants may share it, according to its comment: not at all, by reading, or by writing
   * as well.
   */
  readonly sharing: 'none' | 'reading' | 'writing'
  /** The privileges of the role of tenants on it or on some of its columns: `select`, … */
  readonly privileges: readonly string[]
  /** The roles to which these privileges were granted. */
  readonly grantees: readonly string[]
  /** The privileges that were granted to the login itself, or to roles from which it inherits. */
  readonly loginPrivileges: readonly string[]
  /** The roles to which these privileges were granted. */
  readonly loginGrantees: readonly string[]
  /** Whether another session holds an exclusive lock on it, or waits for one. */
  readonly isLocked: boolean
  /** Whether the role of tenants has a privilege on it other than `references`. */
  readonly isReachable: boolean
  readonly column: TenantColumn | null
}

/** A table with a column `tenant_id`. */
export interface TenantTable extends Relation {
  readonly column: TenantColumn
}

/** The column `tenant_id`. */
export interface TenantColumn extends ComparedColumn {
  /** The name of the type; for a domain, of its base type. */
  readonly baseType: string
  /** The most characters that it holds; `null` if there is no such limit. */
  readonly length: number | null
  /** Whether it is `NOT NULL`. */
  readonly isRequired: boolean
  readonly hasDefault: boolean
  /** Whether an index begins with it. */
  readonly isIndexed: boolean
}

/** A problem that the doctor has found. */
export interface Finding extends Problem {
  /**
   * `'error'`: tenants are not separated, or not with certainty. `'warning'`: a person should check
   * it.
   */
  readonly severity: 'error' | 'warning'
}

/** The texts of a {@link Finding}. */
interface FindingFacts {
  /** The object that has the problem: `table public.orders`. */
  readonly subject: string
  readonly cause: string
  readonly remedy: string
}

/** Creates a finding. Its code decides the severity. */
export function finding(code: ConfigCode, facts: FindingFacts): Finding {
  return { code, severity: code.startsWith('E_') ? 'error' : 'warning', ...facts }
}
