import { identifier } from '../schema/identifier.js'
import type { Examination } from './examination.js'
import { type Finding, finding } from './finding.js'

/** Roles of PostgreSQL that reach data without policies: unprotected tables, files, statements of other sessions. */
const POWERS =
  "'^pg_(read|write)_all_data$|^pg_(read|write)_server_files$|^pg_execute_server_program$|^pg_monitor$|^pg_read_all_stats$'"

const LIST = `
select r.rolname as name from pg_catalog.pg_roles r
where (r.rolname = any($2) or r.rolsuper or r.rolbypassrls or r.rolcreaterole and r.rolname <> $1 or r.rolname ~ ${POWERS})
  and pg_has_role($1::name, r.oid, 'member')
order by r.rolname`

/**
 * Lists the roles that a role is or may become and that could see the rows of more than one tenant.
 * `others` adds further names of such roles.
 */
export async function powersOf(
  { connection }: Examination,
  role: string,
  others: readonly string[],
): Promise<string[]> {
  const { rows } = await connection.query({ text: LIST, values: [role, others] })
  return rows.map(({ name }) => String(name))
}

/** Creates the finding for a role or a login that may become such a role. */
export function leading(kind: 'role' | 'login', member: string, name: string): Finding {
  const cause = `It is a member of ${name}, which sees, or can see, more than the rows of one tenant.`
  const remedy = `revoke ${identifier(name)} from ${identifier(member)};`
  const code = kind === 'login' ? 'E_DATABASE_LOGIN' : 'E_DATABASE_ROLE'
  return finding(code, { subject: `${kind} ${member}`, cause, remedy })
}
