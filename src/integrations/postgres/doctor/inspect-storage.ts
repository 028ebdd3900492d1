import { identifier } from '../schema/identifier.js'
import type { Examination } from './examination.js'
import { type Finding, finding } from './finding.js'

/** The most large objects to name in a message: there may be millions. */
const MOST_NAMED = 5

// Storage to which no policy applies: large objects, catalogs that contain values of rows, and
// files of the server.
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

/** Checks the objects that the role of tenants reaches besides tables. */
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
      const cause = `The role ${tenantRole} may use it, and values of the rows of all tenants are in it.`
      const remedy = `revoke all on pg_catalog.${name} from public, ${role};`
      return finding('E_DATABASE_GRANT', { subject: `catalog pg_catalog.${name}`, cause, remedy })
    }),
    ...list('functions').map((name) => {
      const cause = `The role ${tenantRole} may call it, and it reaches files of the server, including those of the tables.`
      const remedy = `revoke execute on function pg_catalog.${name} from public, ${role};`
      return finding('E_DATABASE_GRANT', { subject: `function ${name}`, cause, remedy })
    }),
  ]
}

function compatible(): Finding {
  const cause = 'It is on: every role reads and writes the large objects of all roles.'
  const facts = { subject: 'setting lo_compat_privileges', cause, remedy: 'Turn it off.' }
  return finding('E_DATABASE_GRANT', facts)
}

function checkObjects(oids: readonly (string | number)[], tenantRole: string): Finding[] {
  if (oids.length === 0) return []
  const named = oids.slice(0, MOST_NAMED)
  const more = oids.length > MOST_NAMED ? ', …' : ''
  const subject = `${oids.length === 1 ? 'large object' : 'large objects'} ${named.join(', ')}${more}`
  const cause = `The role ${tenantRole} may use them, whichever tenant wrote them: no policy protects a large object.`
  const remedy = `Keep such values in a column of the type bytea; then: ${named.map((oid) => `select lo_unlink(${oid});`).join(' ')}`
  return [finding('E_DATABASE_GRANT', { subject, cause, remedy })]
}
