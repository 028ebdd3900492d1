import type { ConfigCode, Problem } from '../../../plugin/index.js'
import type { Connection } from '../driver.js'
import type { ComparedColumn } from './bound-column.js'

/** The options of the doctor. */
export interface DoctorOptions {
  /** The role that runs statements in an application with tenants. */
  readonly tenantRole: string
  /** The role that `withoutTenant` uses. */
  readonly allTenantsRole: string
  /**
   * Whether the database runs in this process. Its only login is then a superuser, which is not reported as a finding.
   */
  readonly isEmbedded: boolean
}

/** The data that every check of the doctor receives. */
export interface Examination extends DoctorOptions, Setting {
  readonly connection: Connection
  /** All user tables, views and sequences that are not locked. */
  readonly relations: readonly Relation[]
  readonly tables: readonly TenantTable[]
  /** The relations that could not be checked because they were locked. */
  readonly lockedRelations: readonly Relation[]
}

/** The login, the roles and the version of the server. */
export interface Setting {
  /** The role with which the application logs in. */
  readonly login: string
  /** The version as `server_version_num`: 150004 means 15.4. */
  readonly version: number
  /**
   * The IDs (`oid`) of the tenant role and of all roles that it can become. Roles that are reported separately are
   * excluded: superusers, predefined roles and the all-tenants role. Empty if the tenant role does not exist.
   */
  readonly tenantRoles: readonly number[]
  /**
   * The IDs of the login and of all roles whose privileges it inherits, with the same exclusions, and without the roles
   * that the tenant role can become. Empty for a superuser, because a superuser needs no privileges.
   */
  readonly loginRoles: readonly number[]
  /** Whether the login can become the tenant role. */
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
   * The kind: `r` is a table, `p` a partitioned table, `f` a foreign table, `v` a view, `m` a materialized view, `S` a
   * sequence.
   */
  readonly kind: string
  readonly owner: string
  /** Whether row-level security is enabled. */
  readonly isEnabled: boolean
  readonly isForced: boolean
  /** Whether the table is a partition or inherits from another table. */
  readonly isChild: boolean
  /** Whether the view reads with the privileges of the querying role. */
  readonly isInvoker: boolean
  /** How the relation's comment allows tenants to share it: not at all, for reading, or for reading and writing. */
  readonly sharing: 'none' | 'reading' | 'writing'
  /** The tenant role's privileges on the relation or on some of its columns, such as `select`. */
  readonly privileges: readonly string[]
  /** The roles to which these privileges were granted. */
  readonly grantees: readonly string[]
  /** The privileges that were granted to the login itself, or to roles from which it inherits. */
  readonly loginPrivileges: readonly string[]
  /** The roles to which these privileges were granted. */
  readonly loginGrantees: readonly string[]
  /** Whether another session holds or is waiting for an `ACCESS EXCLUSIVE` lock on the relation. */
  readonly isLocked: boolean
  /** Whether the tenant role has a privilege other than `references` on the relation. */
  readonly isReachable: boolean
  readonly column: TenantColumn | null
}

/** A table with a column `tenant_id`. */
export interface TenantTable extends Relation {
  readonly column: TenantColumn
}

/** The column `tenant_id`. */
export interface TenantColumn extends ComparedColumn {
  /** The name of the type; for a domain, the name of its base type. */
  readonly baseType: string
  /** The maximum number of characters; `null` if there is no limit. */
  readonly length: number | null
  /** Whether the column is `NOT NULL`. */
  readonly isRequired: boolean
  readonly hasDefault: boolean
  /** Whether an index begins with the column. */
  readonly isIndexed: boolean
}

/** A problem that the doctor found. */
export interface Finding extends Problem {
  /**
   * `'error'`: tenants are not separated, the separation is uncertain, or the database lacks something that the
   * application needs, such as a role or an index. `'warning'`: a person should check the finding.
   */
  readonly severity: 'error' | 'warning'
}

/** The parts of a {@link Finding} that its code does not determine. */
interface FindingFacts {
  /** The object that has the problem, such as `table public.orders`. */
  readonly subject: string
  readonly cause: string
  readonly remedy: string
}

/** Creates a finding. Its code determines the severity. */
export function finding(code: ConfigCode, facts: FindingFacts): Finding {
  return { code, severity: code.startsWith('E_') ? 'error' : 'warning', ...facts }
}
