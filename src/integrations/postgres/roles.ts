import type { Connection } from './driver.js'

/** The attributes of a role that matter to policies. */
export interface Role {
  readonly name: string
  readonly isSuper: boolean
  /** Whether it has `BYPASSRLS`. */
  readonly bypassesPolicies: boolean
  readonly canLogin: boolean
  /** Whether it has `CREATEROLE`. */
  readonly canCreateRoles: boolean
  /** Whether it has `REPLICATION`. */
  readonly canReplicate: boolean
}

/**
 * How one role relates to another: it may become the other role, or it inherits its privileges
 * without becoming it.
 */
export type Relation = 'MAY_BECOME' | 'INHERITS'

const FIND =
  'select rolsuper, rolbypassrls, rolcanlogin, rolcreaterole, rolreplication from pg_catalog.pg_roles where rolname = $1'

// Returns no row if one of the roles does not exist. From PostgreSQL 16 on, a membership may allow
// only inheritance.
const RELATED = `
select pg_has_role(member.oid, role.oid, case
  when $3 = 'INHERITS' then 'USAGE'
  when current_setting('server_version_num')::int >= 160000 then 'SET'
  else 'MEMBER'
end) as related
from pg_catalog.pg_roles member, pg_catalog.pg_roles role
where member.rolname = $1 and role.rolname = $2`

/** Reads the version as `server_version_num`: 150004 is 15.4. */
export async function serverVersion(connection: Connection): Promise<number> {
  const text = "select current_setting('server_version_num')::int as version"
  const { rows } = await connection.query({ text })
  return Number(rows[0]?.['version'])
}

/** Finds a role by name; `undefined` if it does not exist. */
export async function findRole(connection: Connection, name: string): Promise<Role | undefined> {
  const { rows } = await connection.query({ text: FIND, values: [name] })
  const [row] = rows
  if (row === undefined) return undefined
  return {
    name,
    isSuper: row['rolsuper'] === true,
    bypassesPolicies: row['rolbypassrls'] === true,
    canLogin: row['rolcanlogin'] === true,
    canCreateRoles: row['rolcreaterole'] === true,
    canReplicate: row['rolreplication'] === true,
  }
}

/**
 * Whether a role has a relation to another role. Every role has both relations to itself, and a
 * superuser to all roles.
 */
export async function isRelated(
  connection: Connection,
  [member, role]: readonly [member: string, role: string],
  relation: Relation,
): Promise<boolean> {
  const { rows } = await connection.query({ text: RELATED, values: [member, role, relation] })
  return rows[0]?.['related'] === true
}
