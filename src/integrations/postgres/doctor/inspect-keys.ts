import { identifier } from '../schema/names.js'
import { type Examination, type Finding, finding } from './examination.js'

/** Foreign keys between tenant tables that do not compare their `tenant_id`. */
const FOREIGN_KEYS = `
select con.conname as name, con.conrelid as table, con.confrelid as other
from pg_catalog.pg_constraint con
where con.contype = 'f' and con.conparentid = 0
  and con.conrelid = any($1::oid[]) and con.confrelid = any($1::oid[])
  and not exists (
    select from unnest(con.conkey, con.confkey) k(mine, theirs)
      join pg_catalog.pg_attribute a on a.attrelid = con.conrelid and a.attnum = k.mine
      join pg_catalog.pg_attribute b on b.attrelid = con.confrelid and b.attnum = k.theirs
    where a.attname = 'tenant_id' and b.attname = 'tenant_id'
  )
order by con.conrelid, con.conname`

/**
 * The columns that an index compares. Columns that the index only includes come after them. The subscripts of an
 * `int2vector` begin at 0.
 */
const COMPARED = '(i.indkey::int2[])[0:i.indnkeyatts - 1]'

/** Unique indexes without `tenant_id`, except indexes that compare only UUIDs and values from sequences. */
const UNIQUE = `
select c.relname as name, i.indrelid as table
from pg_catalog.pg_index i join pg_catalog.pg_class c on c.oid = i.indexrelid
where i.indisunique and i.indrelid = any($1::oid[])
  and not exists (
    select from pg_catalog.pg_attribute a
    where a.attrelid = i.indrelid and a.attname = 'tenant_id' and a.attnum = any(${COMPARED})
  )
  and exists (
    select from unnest(${COMPARED}) k(number)
      left join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
      left join pg_catalog.pg_attrdef d on d.adrelid = i.indrelid and d.adnum = k.number
    where k.number = 0 or not (
      a.atttypid = 'uuid'::regtype or a.attidentity <> ''
      or coalesce(pg_get_expr(d.adbin, d.adrelid), '') ~ '^nextval\\('
    )
  )
order by i.indrelid, c.relname`

/**
 * Exclusion constraints that do not compare `tenant_id` with `=`. Constraints whose index is also unique, such as a
 * primary key with `WITHOUT OVERLAPS`, are in the result of `UNIQUE` instead.
 */
const EXCLUSIONS = `
select con.conname as name, con.conrelid as table
from pg_catalog.pg_constraint con join pg_catalog.pg_index i on i.indexrelid = con.conindid
where con.conexclop is not null and not i.indisunique
  and con.conparentid = 0 and con.conrelid = any($1::oid[])
  and not exists (
    select from unnest(${COMPARED}, con.conexclop) k(number, operator)
      join pg_catalog.pg_attribute a on a.attrelid = con.conrelid and a.attnum = k.number
      join pg_catalog.pg_operator o on o.oid = k.operator
    where a.attname = 'tenant_id' and o.oprname = '='
  )
order by con.conrelid, con.conname`

/**
 * Checks keys. PostgreSQL compares a key with the rows of every tenant, because policies do not apply to that
 * comparison.
 */
export async function inspectKeys({ connection, tables }: Examination): Promise<Finding[]> {
  const values = [tables.map(({ oid }) => oid)]
  const nameOf = (oid: unknown) => tables.find((table) => table.oid === Number(oid))?.fullName ?? ''
  const foreign = await connection.query({ text: FOREIGN_KEYS, values })
  const unique = await connection.query({ text: UNIQUE, values })
  const exclusions = await connection.query({ text: EXCLUSIONS, values })
  return [
    ...foreign.rows.map((row) =>
      foreignKey(row['name'], nameOf(row['table']), nameOf(row['other'])),
    ),
    ...unique.rows.map((row) => uniqueKey(row['name'], nameOf(row['table']))),
    ...exclusions.rows.map((row) => exclusion(row['name'], nameOf(row['table']))),
  ]
}

function foreignKey(name: unknown, table: string, other: string): Finding {
  const subject = `foreign key ${identifier(String(name))} of table ${table}`
  const cause = `It does not include tenant_id: a row can refer to a row of another tenant in ${other}, so a tenant can find out whether that other row exists.`
  const remedy = `Change it to: foreign key (tenant_id, …) references ${other} (tenant_id, …).`
  return finding('W_DATABASE_KEY', { subject, cause, remedy })
}

function uniqueKey(name: unknown, table: string): Finding {
  const subject = `unique index ${identifier(String(name))} of table ${table}`
  const cause =
    'It does not include tenant_id: a value that one tenant uses is unavailable to all other tenants, and each of them can find out that the value is in use.'
  const remedy = 'Change it to: unique (tenant_id, …).'
  return finding('W_DATABASE_KEY', { subject, cause, remedy })
}

function exclusion(name: unknown, table: string): Finding {
  const subject = `exclusion constraint ${identifier(String(name))} of table ${table}`
  const cause =
    'It does not compare tenant_id with =: a row of one tenant excludes rows of all tenants, and each tenant can find out that the row exists.'
  const remedy =
    'Change it to: exclude using gist (tenant_id with =, …). The gist index requires an extension. First run: create extension btree_gist.'
  return finding('W_DATABASE_KEY', { subject, cause, remedy })
}
