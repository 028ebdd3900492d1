import { identifier } from '../schema/names.js'
import { type Examination, type Finding, finding } from './examination.js'

const KINDS: Readonly<Record<string, string>> = {
  r: 'tables',
  S: 'sequences',
  L: 'large objects',
}

// Functions are excluded, because every role can execute them by default.
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

// Lists the places in which the roles can create objects. Before PostgreSQL 15, every role can do so in the schema
// `public`.
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

/**
 * Checks for ways to gain access later: default privileges, and the privilege to create objects that replace others.
 */
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
  const cause = `New objects are immediately accessible to ${grantee} (${row['privileges']}), and no policy protects them.`
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
  const cause = `The ${roles.join(' and the ')} can create objects in it. Statements could then use those objects instead of your own.`
  const names = roles.map((role) => identifier(role.slice(role.indexOf(' ') + 1)))
  const remedy = `revoke create on ${place} from ${['public', ...names].join(', ')};`
  return [finding('W_DATABASE_SCHEMA', { subject: place, cause, remedy })]
}

/** The maximum number of large objects in a message, because there can be millions. */
const MOST_NAMED = 5

// Storage to which no policy applies: large objects, catalogs that contain row values, and server files.
const READ = `
select current_setting('lo_compat_privileges')::bool as compat,
  array(
    select m.oid from pg_catalog.pg_largeobject_metadata m
    where exists (
      select from aclexplode(coalesce(m.lomacl, acldefault('L', m.lomowner))) x where x.grantee = 0 or x.grantee = any($1::oid[])
    )
    limit ${MOST_NAMED + 1}
  ) as objects,
  array(
    select c.relname::text from pg_catalog.pg_class c
    where c.relnamespace = 'pg_catalog'::regnamespace
      and c.relname in ('pg_largeobject', 'pg_statistic', 'pg_statistic_ext_data')
      and exists (
        select from unnest($1::oid[]) role
        where has_table_privilege(role, c.oid, 'select, insert, update, delete') or has_any_column_privilege(role, c.oid, 'select')
      )
    order by c.relname
  ) as catalogs,
  array(
    select p.oid::regprocedure::text from pg_catalog.pg_proc p
    where p.pronamespace = 'pg_catalog'::regnamespace
      and p.proname in ('lo_export', 'lo_import', 'pg_ls_dir', 'pg_read_binary_file', 'pg_read_file')
      and exists (select from unnest($1::oid[]) role where has_function_privilege(role, p.oid, 'execute'))
    order by p.oid
  ) as functions`

/** Checks whether the tenant role can reach storage to which no policy applies. */
export async function inspectStorage({
  connection,
  tenantRole,
  tenantRoles,
}: Examination): Promise<Finding[]> {
  const { rows } = await connection.query({ text: READ, values: [tenantRoles] })
  const list = (name: string) => rows[0]?.[name] as (string | number)[]
  const role = identifier(tenantRole)
  return [
    ...(rows[0]?.['compat'] === true ? [compatible()] : []),
    ...checkObjects(list('objects'), tenantRole),
    ...list('catalogs').map((name) => {
      const cause = `The role ${tenantRole} can access this catalog, which contains values from the rows of all tenants.`
      const remedy = `revoke all on pg_catalog.${name} from public, ${role};`
      return finding('E_DATABASE_GRANT', { subject: `catalog pg_catalog.${name}`, cause, remedy })
    }),
    ...list('functions').map((name) => {
      const cause = `The role ${tenantRole} can call this function, which can read files of the server, including the files of tables.`
      const remedy = `revoke execute on function pg_catalog.${name} from public, ${role};`
      return finding('E_DATABASE_GRANT', { subject: `function ${name}`, cause, remedy })
    }),
  ]
}

function compatible(): Finding {
  const cause = 'It is on: every role can read and write the large objects of all roles.'
  const facts = { subject: 'setting lo_compat_privileges', cause, remedy: 'Set it to off.' }
  return finding('E_DATABASE_GRANT', facts)
}

function checkObjects(oids: readonly (string | number)[], tenantRole: string): Finding[] {
  if (oids.length === 0) return []
  const named = oids.slice(0, MOST_NAMED)
  const more = oids.length > MOST_NAMED ? ', …' : ''
  const subject = `${oids.length === 1 ? 'large object' : 'large objects'} ${named.join(', ')}${more}`
  const cause = `Policies do not protect large objects: the role ${tenantRole} can access them, even if another tenant has written the data.`
  const remedy = `Store such values in a column of the type bytea. Then run: ${named.map((oid) => `select lo_unlink(${oid});`).join(' ')}`
  return [finding('E_DATABASE_GRANT', { subject, cause, remedy })]
}
