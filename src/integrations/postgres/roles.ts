import type { Connection } from './driver.js'

/** A role of the server, as far as it matters to policies. */
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

/** What one role is to another: it may become it, or it has what that one may, without a word. */
export type Relation = 'MAY_BECOME' | 'INHERITS'

const FIND =
  'select rolsuper, rolbypassrls, rolcanlogin, rolcreaterole, rolreplication from pg_catalog.pg_roles where rolname = $1'

// `null` where one of them does not exist. From 16 on a membership may be one that only inherits.
const RELATED = `
select pg_has_role(member.oid, role.oid, case
  when $3 = 'INHERITS' then 'USAGE'
  when current_setting('server_version_num')::int >= 160000 then 'SET'
  else 'MEMBER'
end) as related
from pg_catalog.pg_roles member, pg_catalog.pg_roles role
where member.rolname = $1 and role.rolname = $2`

/** The version as `server_version_num`: 150004 is 15.4. */
export async function serverVersion(connection: Connection): Promise<number> {
  const text = "select current_setting('server_version_num')::int as version"
  const { rows } = await connection.query({ text })
  return Number(rows[0]?.['version'])
}

/** A role by its name. */
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

/** Whether a role is something to another one; it is both to itself, and a superuser to all. */
export async function isRelated(
  connection: Connection,
  [member, role]: readonly [member: string, role: string],
  relation: Relation,
): Promise<boolean> {
  const { rows } = await connection.query({ text: RELATED, values: [member, role, relation] })
  return rows[0]?.['related'] === true
}
