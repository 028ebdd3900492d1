import { identifier } from '../schema/identifier.js'
import type { Examination } from './examination.js'
import { type Finding, finding } from './finding.js'

/** Roles of PostgreSQL that reach what no policy holds for: unprotected tables, files, statements of others. */
const POWERS =
  "'^pg_(read|write)_all_data$|^pg_(read|write)_server_files$|^pg_execute_server_program$|^pg_monitor$|^pg_read_all_stats$'"

const LIST = `
select r.rolname as name from pg_catalog.pg_roles r
where (r.rolname = any($2) or r.rolsuper or r.rolbypassrls or r.rolcreaterole and r.rolname <> $1 or r.rolname ~ ${POWERS})
  and pg_has_role($1::name, r.oid, 'member')
order by r.rolname`

/** Who a role is, or may become, that could see more than one tenant's rows: those of a list among them. */
export async function powersOf(
  { connection }: Examination,
  role: string,
  others: readonly string[],
): Promise<string[]> {
  const { rows } = await connection.query({ text: LIST, values: [role, others] })
  return rows.map(({ name }) => String(name))
}

/** Says that somebody may become one of these. */
export function leading(kind: 'role' | 'login', member: string, name: string): Finding {
  const cause = `It is a member of ${name}, which sees, or can see, more than the rows of one tenant.`
  const remedy = `revoke ${identifier(name)} from ${identifier(member)};`
  const code = kind === 'login' ? 'E_DATABASE_LOGIN' : 'E_DATABASE_ROLE'
  return finding(code, { subject: `${kind} ${member}`, cause, remedy })
}
