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
}

/** What one role is to another: it may become it, or it has what that one may, without a word. */
export type Relation = 'MAY_BECOME' | 'INHERITS'

const FIND =
  'select rolsuper, rolbypassrls, rolcanlogin, rolcreaterole from pg_catalog.pg_roles where rolname = $1'

// `null` where one of them does not exist.
const RELATED = `
select pg_has_role(member.oid, role.oid, $3) as related
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
  }
}

/** Whether a role is something to another one; it is both to itself, and a superuser to all. */
export async function isRelated(
  connection: Connection,
  [member, role]: readonly [member: string, role: string],
  relation: Relation,
): Promise<boolean> {
  const values = [member, role, await privilegeOf(connection, relation)]
  const { rows } = await connection.query({ text: RELATED, values })
  return rows[0]?.['related'] === true
}

// From 16 on a membership may be one that only inherits.
async function privilegeOf(connection: Connection, relation: Relation): Promise<string> {
  if (relation === 'INHERITS') return 'USAGE'
  return (await serverVersion(connection)) >= 160_000 ? 'SET' : 'MEMBER'
}
