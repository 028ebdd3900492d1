import type { Connection } from '../driver.js'
import { identifier } from '../schema/names.js'
import type { Relation, Setting, TenantColumn, TenantTable } from './examination.js'

/**
 * The condition for user schemas, which excludes the schemas of PostgreSQL and Blazon. The query must contain
 * `pg_namespace n`.
 */
export const USER_SCHEMA = "n.nspname !~ '^(pg_|information_schema$|blazon$)'"

/** Returns the condition for objects that belong to an extension. */
export function isOfExtension(oid: string, catalog: string): string {
  return `exists (select from pg_catalog.pg_depend d where d.deptype = 'e' and d.objid = ${oid} and d.classid = 'pg_catalog.${catalog}'::regclass)`
}

/** The expression for {@link ComparedColumn.isDeterministic} of a column in `pg_attribute a`. */
export const IS_DETERMINISTIC =
  'coalesce((select k.collisdeterministic from pg_catalog.pg_collation k where k.oid = a.attcollation), true)'

// Includes privileges on single columns. Ignores the `USAGE` privilege on the schema, because a view that reads with
// the querying role's privileges does not check it.
const PRIVILEGES = `
  array(
    select p from unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) p
    where exists (
      select from unnest($1::oid[]) role
      where has_table_privilege(role, c.oid, p)
        or (p in ('select', 'insert', 'update', 'references') and has_any_column_privilege(role, c.oid, p))
    )
  )`

// Reads grants from both catalogs: for relations and for columns.
const GRANTS = `
  lateral (
    select x.grantee, lower(x.privilege_type) as privilege from aclexplode(c.relacl) x
    union
    select x.grantee, lower(x.privilege_type) from pg_catalog.pg_attribute b, aclexplode(b.attacl) x
    where b.attrelid = c.oid and not b.attisdropped
  ) g`

const LIST = `
select c.oid, n.nspname as schema, c.relname as name, c.relkind::text as kind, o.rolname as owner,
  c.relrowsecurity as enabled, c.relforcerowsecurity as forced,
  exists (select from pg_catalog.pg_inherits i where i.inhrelid = c.oid) as child,
  c.relkind = 'v' and exists (
    select from pg_options_to_table(c.reloptions)
    where option_name = 'security_invoker' and option_value::boolean
  ) as invoker,
  coalesce(obj_description(c.oid, 'pg_class'), '') as comment,
  ${PRIVILEGES} as privileges,
  array(
    select distinct coalesce(q.rolname, 'public')::text from ${GRANTS} left join pg_catalog.pg_roles q on q.oid = g.grantee
    where g.grantee = 0 or g.grantee = any($1::oid[])
  ) as grantees,
  array(
    select distinct g.privilege from ${GRANTS} where g.grantee = any($2::oid[]) and g.grantee <> c.relowner
  ) as login_privileges,
  array(
    select distinct q.rolname::text from ${GRANTS} join pg_catalog.pg_roles q on q.oid = g.grantee
    where g.grantee = any($2::oid[]) and g.grantee <> c.relowner
  ) as login_grantees,
  c.oid in (
    select l.relation from pg_catalog.pg_locks l
    where l.mode = 'AccessExclusiveLock' and l.pid <> pg_backend_pid() and l.relation is not null
      and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
  ) as locked,
  a.attnum is not null as has_column, a.attnotnull as required, a.atthasdef as has_default,
  format_type(a.atttypid, null) as type, format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null) as base_type,
  nullif(greatest(coalesce(nullif(a.atttypmod, -1), t.typtypmod) - 4, 0), 0) as length,
  ${IS_DETERMINISTIC} as deterministic,
  exists (
    select from pg_catalog.pg_index i
    where i.indrelid = c.oid and i.indkey[0] = a.attnum and i.indisvalid and i.indpred is null
  ) as indexed
from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_roles o on o.oid = c.relowner
  left join pg_catalog.pg_attribute a on c.relkind in ('r', 'p', 'f') and a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
  left join pg_catalog.pg_type t on t.oid = a.atttypid
where c.relkind in ('r', 'p', 'f', 'v', 'm', 'S') and c.relpersistence <> 't' and ${USER_SCHEMA}
  and not ${isOfExtension('c.oid', 'pg_class')}
order by schema, name`

/**
 * Reads every table, view and sequence that does not belong to PostgreSQL, an extension or Blazon.
 */
export async function readRelations(
  connection: Connection,
  { tenantRoles, loginRoles }: Pick<Setting, 'tenantRoles' | 'loginRoles'>,
): Promise<Relation[]> {
  const { rows } = await connection.query({ text: LIST, values: [tenantRoles, loginRoles] })
  return rows.map((row) => {
    const [schema, name] = [String(row['schema']), String(row['name'])]
    const privileges = row['privileges'] as string[]
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
      isInvoker: row['invoker'] === true,
      sharing: sharingOf(String(row['comment'])),
      privileges,
      grantees: row['grantees'] as string[],
      loginPrivileges: row['login_privileges'] as string[],
      loginGrantees: row['login_grantees'] as string[],
      isLocked: row['locked'] === true,
      isReachable: privileges.some((privilege) => privilege !== 'references'),
      column: row['has_column'] === true ? columnOf(row) : null,
    }
  })
}

/** Whether a relation contains tenant rows, because it has a `tenant_id` column. */
export function isTenantTable(relation: Relation): relation is TenantTable {
  return relation.column !== null
}

function columnOf(row: Record<string, unknown>): TenantColumn {
  return {
    name: 'tenant_id',
    type: String(row['type']),
    isDeterministic: row['deterministic'] === true,
    baseType: String(row['base_type']),
    length: row['length'] === null ? null : Number(row['length']),
    isRequired: row['required'] === true,
    hasDefault: row['has_default'] === true,
    isIndexed: row['indexed'] === true,
  }
}

function sharingOf(comment: string): Relation['sharing'] {
  const mark = /\bblazon: shared\b(, writable\b)?/.exec(comment)
  if (mark === null) return 'none'
  return mark[1] === undefined ? 'reading' : 'writing'
}
