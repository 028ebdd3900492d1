import { identifier } from '../schema/identifier.js'
import type { Examination } from './examination.js'
import { type Finding, finding } from './finding.js'
import { isOfExtension, mayReach, USER_SCHEMA } from './read-tables.js'

/** Views that read one of the tables, through others or not, and that the role of tenants may use. */
const VIEWS = `
with recursive reader(oid) as (
  select r.ev_class from pg_catalog.pg_depend d join pg_catalog.pg_rewrite r on r.oid = d.objid
  where d.classid = 'pg_catalog.pg_rewrite'::regclass and d.refclassid = 'pg_catalog.pg_class'::regclass
    and d.refobjid = any($1::oid[])
  union
  select r.ev_class from reader join pg_catalog.pg_depend d on d.refobjid = reader.oid
    join pg_catalog.pg_rewrite r on r.oid = d.objid
  where d.classid = 'pg_catalog.pg_rewrite'::regclass and d.refclassid = 'pg_catalog.pg_class'::regclass
)
select n.nspname as schema, c.relname as name, c.relkind::text as kind
from reader join pg_catalog.pg_class c on c.oid = reader.oid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_roles r on r.rolname = $2
where c.relkind in ('v', 'm') and ${mayReach('r.oid', 'c.oid')} and not exists (
  select from pg_options_to_table(c.reloptions)
  where option_name = 'security_invoker' and option_value::boolean
)
order by schema, name`

const FUNCTIONS = `
select n.nspname as schema, p.proname as name, pg_get_function_identity_arguments(p.oid) as arguments,
  o.rolname as owner
from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  join pg_catalog.pg_roles o on o.oid = p.proowner
  join pg_catalog.pg_roles r on r.rolname = $1
where p.prosecdef and ${USER_SCHEMA} and not ${isOfExtension('p.oid', 'pg_proc')}
  and has_function_privilege(r.oid, p.oid, 'execute') and has_schema_privilege(r.oid, n.oid, 'usage')
order by schema, name, arguments`

/** Looks at what runs as somebody else: policies hold for that one then, and not for the tenant. */
export async function inspectDetours(examination: Examination): Promise<Finding[]> {
  return [...(await inspectViews(examination)), ...(await inspectFunctions(examination))]
}

async function inspectViews(examination: Examination): Promise<Finding[]> {
  const { connection, tables, tenantRole, version } = examination
  const values = [tables.map(({ oid }) => oid), tenantRole]
  const { rows } = await connection.query({ text: VIEWS, values })
  return rows.map((row) => {
    const name = `${identifier(String(row['schema']))}.${identifier(String(row['name']))}`
    const revoke = `revoke all on ${name} from public, ${identifier(tenantRole)};`
    if (row['kind'] === 'm') {
      const cause = 'It keeps rows of every tenant, and no policy can protect it.'
      const facts = { subject: `materialized view ${name}`, cause, remedy: revoke }
      return finding('E_DATABASE_VIEW', facts)
    }
    const cause = 'It reads a table of tenants as its owner, and not as who asks.'
    const remedy = version >= 150_000 ? `alter view ${name} set (security_invoker = true);` : revoke
    return finding('E_DATABASE_VIEW', { subject: `view ${name}`, cause, remedy })
  })
}

async function inspectFunctions({ connection, tenantRole }: Examination): Promise<Finding[]> {
  const { rows } = await connection.query({ text: FUNCTIONS, values: [tenantRole] })
  return rows.map((row) => {
    const name = `${identifier(String(row['schema']))}.${identifier(String(row['name']))}(${row['arguments']})`
    const cause = `It is SECURITY DEFINER: what it does, it does as ${row['owner']}, whoever calls it.`
    const remedy = `See that it shows nothing of other tenants; or: revoke execute on function ${name} from public, ${identifier(tenantRole)};`
    return finding('W_DATABASE_FUNCTION', { subject: `function ${name}`, cause, remedy })
  })
}
