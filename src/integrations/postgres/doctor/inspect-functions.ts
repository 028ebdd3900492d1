import { TENANT_SETTING } from '../names.js'
import { identifier } from '../schema/identifier.js'
import type { Examination } from './examination.js'
import { type Finding, finding } from './finding.js'
import { isOfExtension, USER_SCHEMA } from './read-relations.js'

// The settings of a function are active while it runs. One of them may be the role.
const LIST = `
select n.nspname as schema, p.proname as name, pg_get_function_identity_arguments(p.oid) as arguments,
  o.rolname as owner, p.prosecdef as definer, c.setting
from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  join pg_catalog.pg_roles o on o.oid = p.proowner
  left join lateral (
    select s as setting from unnest(p.proconfig) s where lower(split_part(s, '=', 1)) in ('${TENANT_SETTING}', 'role', 'session_authorization')
    limit 1
  ) c on true
where (p.prosecdef or c.setting is not null) and ${USER_SCHEMA} and not ${isOfExtension('p.oid', 'pg_proc')}
  and exists (
    select from unnest($1::oid[]) role
    where has_function_privilege(role, p.oid, 'execute') and has_schema_privilege(role, n.oid, 'usage')
  )
order by schema, name, arguments`

/**
 * Checks functions that run as another role: the policies then apply to that role and not to the
 * tenant.
 */
export async function inspectFunctions({
  connection,
  tenantRole,
  tenantRoles,
}: Examination): Promise<Finding[]> {
  const { rows } = await connection.query({ text: LIST, values: [tenantRoles] })
  return rows.map((row) => {
    const name = `${identifier(String(row['schema']))}.${identifier(String(row['name']))}(${row['arguments']})`
    const how =
      row['definer'] === true
        ? `It is SECURITY DEFINER: it runs with the rights of ${row['owner']}, whichever role calls it.`
        : `It runs with its own setting, ${row['setting']}, whichever role calls it.`
    const remedy = `Make sure that it shows no data of other tenants; or: revoke execute on function ${name} from public, ${identifier(tenantRole)};`
    return finding('W_DATABASE_FUNCTION', { subject: `function ${name}`, cause: how, remedy })
  })
}
