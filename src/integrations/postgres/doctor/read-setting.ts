import type { Connection } from '../driver.js'
import type { DoctorOptions, Setting } from './examination.js'

// Superusers are left out, because they may become every role. A role that may only administer another
// role (ADMIN OPTION) counts as its member, because it can grant itself the rest.
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

/** Reads the login, the version, and the roles as which statements of tenants may run. */
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
