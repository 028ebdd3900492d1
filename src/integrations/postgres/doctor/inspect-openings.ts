import { identifier } from '../schema/identifier.js'
import type { Examination } from './examination.js'
import { type Finding, finding } from './finding.js'

const KINDS: Readonly<Record<string, string>> = {
  r: 'tables',
  S: 'sequences',
  L: 'large objects',
}

// Functions are left out: every role may execute them by default.
const DEFAULTS = `
select o.rolname as owner, n.nspname as schema, d.defaclobjtype::text as kind,
  coalesce(r.rolname, 'public') as grantee, string_agg(x.privilege_type, ', ' order by x.privilege_type) as privileges
from pg_catalog.pg_default_acl d
  join pg_catalog.pg_roles o on o.oid = d.defaclrole
  left join pg_catalog.pg_namespace n on n.oid = d.defaclnamespace
  cross join aclexplode(d.defaclacl) x
  left join pg_catalog.pg_roles r on r.oid = x.grantee
where d.defaclobjtype in ('r', 'S', 'L') and x.grantee <> d.defaclrole
  and (x.grantee = 0 or x.grantee = any($1::oid[]) or x.grantee = any($2::oid[]))
group by o.rolname, n.nspname, d.defaclobjtype, r.rolname
order by o.rolname, n.nspname, d.defaclobjtype, r.rolname`

// Before PostgreSQL 15, every role may create objects in the schema public.
const CREATABLE = `
select 'schema ' || quote_ident(n.nspname) as place,
  exists (select from unnest($1::oid[]) role where has_schema_privilege(role, n.oid, 'create')) as tenant,
  exists (select from unnest($2::oid[]) role where has_schema_privilege(role, n.oid, 'create')) as login
from pg_catalog.pg_namespace n
where n.nspname !~ '^pg_'
union all
select 'database ' || quote_ident(current_database()),
  exists (select from unnest($1::oid[]) role where has_database_privilege(role, current_database(), 'create')),
  exists (select from unnest($2::oid[]) role where has_database_privilege(role, current_database(), 'create'))
order by 1`

/** Checks for later openings: default privileges, and the right to create objects that replace others. */
export async function inspectOpenings(examination: Examination): Promise<Finding[]> {
  const { connection, tenantRoles, loginRoles } = examination
  const values = [tenantRoles, loginRoles]
  const defaults = await connection.query({ text: DEFAULTS, values })
  const creatable = await connection.query({ text: CREATABLE, values })
  return [
    ...defaults.rows.map(openFromTheStart),
    ...creatable.rows.flatMap((row) => checkCreation(row, examination)),
  ]
}

function openFromTheStart(row: Record<string, unknown>): Finding {
  const kind = KINDS[String(row['kind'])]
  const [owner, grantee] = [identifier(String(row['owner'])), String(row['grantee'])]
  const place = row['schema'] === null ? '' : ` in schema ${identifier(String(row['schema']))}`
  const to = grantee === 'public' ? grantee : identifier(grantee)
  const cause = `What it creates is open to ${grantee} from the start (${row['privileges']}), before a policy protects it.`
  const remedy = `alter default privileges for role ${owner}${place} revoke all on ${kind} from ${to};`
  const subject = `default privileges on ${kind} of ${owner}${place}`
  return finding('W_DATABASE_GRANT', { subject, cause, remedy })
}

function checkCreation(row: Record<string, unknown>, examination: Examination): Finding[] {
  const place = String(row['place'])
  const roles = [
    ...(row['tenant'] === true ? [`role ${examination.tenantRole}`] : []),
    ...(row['login'] === true ? [`login ${examination.login}`] : []),
  ]
  if (roles.length === 0) return []
  const cause = `The ${roles.join(' and the ')} may create tables and functions in it, which other code may then use in place of yours.`
  const names = roles.map((role) => identifier(role.slice(role.indexOf(' ') + 1)))
  const remedy = `revoke create on ${place} from ${['public', ...names].join(', ')};`
  return [finding('W_DATABASE_SCHEMA', { subject: place, cause, remedy })]
}
