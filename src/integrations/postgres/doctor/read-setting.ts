import type { Connection } from '../driver.js'
import type { DoctorOptions, Setting } from './examination.js'

// Of a superuser every role would be one that it may become, or has the privileges of. Who may administer a membership only may give itself the rest.
const READ = `
select current_setting('server_version_num')::int as version, session_user as login,
  array(
    select r.oid from pg_catalog.pg_roles t join pg_catalog.pg_roles r on r.oid = t.oid or (
      not t.rolsuper and not r.rolsuper and r.rolname <> $2 and r.rolname !~ '^pg_' and pg_has_role(t.oid, r.oid, 'member')
    )
    where t.rolname = $1
  ) as tenant_roles,
  array(
    select r.oid from pg_catalog.pg_roles l join pg_catalog.pg_roles r on pg_has_role(l.oid, r.oid, 'usage')
    where l.rolname = session_user and not l.rolsuper and not r.rolsuper and r.rolname <> $2 and r.rolname !~ '^pg_'
      and not exists (
        select from pg_catalog.pg_roles t
        where t.rolname = $1 and not t.rolsuper and pg_has_role(t.oid, r.oid, 'member')
      )
  ) as login_roles,
  exists (
    select from pg_catalog.pg_roles t
    where t.rolname = $1 and pg_has_role(session_user, t.oid,
      case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end)
  ) as may_become`

/** Finds out who asks, and who the tenants' statements may be. */
export async function readSetting(
  connection: Connection,
  { tenantRole, allTenantsRole }: DoctorOptions,
): Promise<Setting> {
  const { rows } = await connection.query({ text: READ, values: [tenantRole, allTenantsRole] })
  const [row] = rows
  return {
    version: Number(row?.['version']),
    login: String(row?.['login']),
    tenantRoles: row?.['tenant_roles'] as number[],
    loginRoles: row?.['login_roles'] as number[],
    mayBecomeTenant: row?.['may_become'] === true,
  }
}
