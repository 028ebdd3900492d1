import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { Connection } from '../driver.js'
import { identifier, literal } from '../schema/names.js'
import type { TenantColumn, TenantTable } from './examination.js'

const TEXTS: readonly string[] = ['text', 'character varying', 'character', 'name']
/** The maximum length of an ID, in characters. */
const LONGEST = 128
/** The minimum length of a test ID, in characters, because a shorter ID may belong to a real tenant. */
const SHORTEST = 16

/** An ID that a comparison could confuse with another ID, and the difference between them. */
export interface LookAlike {
  readonly id: string
  readonly difference: string
}

/**
 * Creates the ID of a nonexistent tenant, in the type of the column; `null` if the type is unsupported or the column is
 * too short. A text ID has the maximum length, so that a comparison that truncates IDs is detected.
 */
export function canaryTenant(column: TenantColumn): string | null {
  if (column.baseType === 'uuid') return randomUUID()
  if (/^(?:smallint|integer|bigint|numeric)$/.test(column.baseType)) {
    return String(-randomInt(1, 30_000))
  }
  if (!isText(column)) return null
  const length = lengthOf(column)
  return length < SHORTEST
    ? null
    : `Canary-${randomBytes(LONGEST / 2).toString('hex')}`.slice(0, length)
}

/**
 * Creates IDs that a comparison could confuse with this ID because it truncates IDs, ignores case or accents, or
 * matches a pattern. Returns an empty list for numbers and `uuid`, because different notations of the same value are
 * the same ID.
 */
export function lookAlikesOf(id: string, column: TenantColumn): LookAlike[] {
  if (!isText(column)) return []
  const start = id.slice(0, -1)
  return [
    { id: `${start}_`, difference: 'its last character' },
    { id: `${start}.`, difference: 'a dot' },
    { id: start, difference: 'a character at its end' },
    { id: `${id}x`, difference: 'an additional character' },
    { id: `${id} `, difference: 'a space at its end' },
    { id: id.toUpperCase(), difference: 'capital letters' },
    { id: id.replace('a', 'á'), difference: 'an accent' },
    { id: id.replace('-', '_'), difference: 'a punctuation mark' },
  ]
}

// The name of `citext` can have a schema prefix, because an extension can be installed in any schema.
function isText({ baseType }: TenantColumn): boolean {
  return TEXTS.includes(baseType) || /(?:^|\.)citext$/.test(baseType)
}

function lengthOf({ baseType, length }: TenantColumn): number {
  return Math.min(length ?? LONGEST, baseType === 'name' ? 63 : LONGEST)
}

/** A column that needs a value in a test row, and its value. */
export interface CanaryColumn {
  readonly name: string
  /** The value, as SQL. */
  readonly value: string
}

// Columns with a default get no value. Columns that use a sequence get one, because a rollback does not undo the
// advance of a sequence.
const LIST = `
select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, t.typcategory::text as category, t.typtype::text as kind,
  a.attidentity <> '' or coalesce(pg_get_expr(d.adbin, d.adrelid), '') ~ 'nextval\\(' as counts
from pg_catalog.pg_attribute a
  join pg_catalog.pg_type t on t.oid = a.atttypid
  left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attname <> 'tenant_id'
  and (a.attidentity <> '' or coalesce(pg_get_expr(d.adbin, d.adrelid), '') ~ 'nextval\\(' or (a.attnotnull and d.oid is null))
order by a.attnum`

/** The values by type category (`pg_type.typcategory`). Nearly every column in the category accepts the value. */
const VALUES: Readonly<Record<string, string>> = {
  A: "'{}'",
  B: "'false'",
  D: "'now'",
  I: "'127.0.0.1'",
  N: "'1'",
  R: "'empty'",
  S: "'x'",
  T: "'1 s'",
  V: "'0'",
}

/** The values by type, for types whose category is not specific enough. */
const OF_TYPE: Readonly<Record<string, string>> = { json: "'{}'", jsonb: "'{}'", bytea: "''" }

/** Returns a value for each column that needs one when a row is inserted. */
export async function canaryColumns(
  connection: Connection,
  table: TenantTable,
): Promise<CanaryColumn[]> {
  const { rows } = await connection.query({ text: LIST, values: [table.oid] })
  return rows.map((row) => ({
    name: identifier(String(row['name'])),
    value: row['counts'] === true ? String(-randomInt(1, 30_000)) : canaryValue(row),
  }))
}

function canaryValue(row: Record<string, unknown>): string {
  const type = String(row['type'])
  if (type === 'uuid') return `${literal(randomUUID())}::uuid`
  if (row['kind'] === 'e') return `(enum_range(null::${type}))[1]`
  return `${OF_TYPE[type] ?? VALUES[String(row['category'])] ?? 'null'}::${type}`
}
