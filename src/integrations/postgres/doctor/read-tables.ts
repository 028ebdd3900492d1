import type { Connection } from '../driver.js'
import { identifier } from '../schema/identifier.js'
import type { TenantTable } from './examination.js'

/** Not those of PostgreSQL, nor ours: whose name is of `pg_namespace n`. */
export const USER_SCHEMA = "n.nspname !~ '^(pg_|information_schema$|blazon$)'"

/** Whether an extension has brought something, whose number and catalog are given. */
export function isOfExtension(oid: string, catalog: string): string {
  return `exists (select from pg_catalog.pg_depend d where d.deptype = 'e' and d.objid = ${oid} and d.classid = 'pg_catalog.${catalog}'::regclass)`
}

/** Whether a role may do anything with a relation. */
export function mayReach(role: string, oid: string): string {
  return `coalesce(has_table_privilege(${role}, ${oid}, 'select, insert, update, delete, truncate, trigger') or has_any_column_privilege(${role}, ${oid}, 'select, insert, update'), false)`
}

const LIST = `
select c.oid, n.nspname as schema, c.relname as name, c.relkind::text as kind, o.rolname as owner,
  c.relrowsecurity as enabled, c.relforcerowsecurity as forced,
  exists (select from pg_catalog.pg_inherits i where i.inhrelid = c.oid) as child,
  a.attnotnull as required, a.atthasdef as has_default, format_type(a.atttypid, a.atttypmod) as type,
  exists (
    select from pg_catalog.pg_index i
    where i.indrelid = c.oid and i.indkey[0] = a.attnum and i.indisvalid and i.indpred is null
  ) as indexed,
  exists (
    select from pg_catalog.pg_locks l
    where l.relation = c.oid and l.mode = 'AccessExclusiveLock' and l.pid <> pg_backend_pid()
      and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
  ) as locked,
  ${mayReach('r.oid', 'c.oid')} as reachable,
  array(
    select p from unnest(array['truncate', 'trigger', 'references']) p
    where has_table_privilege(r.oid, c.oid, p)
  ) as dangers
from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_roles o on o.oid = c.relowner
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
  left join pg_catalog.pg_roles r on r.rolname = $1
where c.relkind in ('r', 'p', 'f') and c.relpersistence <> 't' and ${USER_SCHEMA}
  and not ${isOfExtension('c.oid', 'pg_class')}
order by schema, name`

/** The tables with a column `tenant_id`. */
export async function readTables(
  connection: Connection,
  tenantRole: string,
): Promise<TenantTable[]> {
  const { rows } = await connection.query({ text: LIST, values: [tenantRole] })
  return rows.map((row) => {
    const [schema, name] = [String(row['schema']), String(row['name'])]
    return {
      oid: Number(row['oid']),
      schema,
      name,
      fullName: `${identifier(schema)}.${identifier(name)}`,
      kind: String(row['kind']),
      owner: String(row['owner']),
      isEnabled: row['enabled'] === true,
      isForced: row['forced'] === true,
      isChild: row['child'] === true,
      isRequired: row['required'] === true,
      hasDefault: row['has_default'] === true,
      isIndexed: row['indexed'] === true,
      type: String(row['type']),
      isLocked: row['locked'] === true,
      isReachable: row['reachable'] === true,
      dangers: row['dangers'] as string[],
    }
  })
}
