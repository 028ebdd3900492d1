/** The setting with the tenant of a transaction. Without a tenant, it is empty or missing. */
export const TENANT_SETTING = 'app.tenant_id'

/** The role that runs statements of an application with tenants. */
export const TENANT_ROLE = 'app_tenant'

/** The role of `withoutTenant`, which sees the rows of every tenant. */
export const ALL_TENANTS_ROLE = 'app_all_tenants' /**
 * The longest name in bytes. PostgreSQL cuts longer names without an error, so two of them may
 * become the same.
 */
const LONGEST = 63

/**
 * Words that have another meaning unless they are quoted: categories R and T of
 * `pg_get_keywords()`.
 */
const RESERVED = new Set(
  `all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column
  concurrently constraint create cross current_catalog current_date current_role current_schema current_time current_timestamp
  current_user default deferrable desc distinct do else end except false fetch for foreign freeze from full grant group having
  ilike in initially inner intersect into is isnull join lateral leading left like limit localtime localtimestamp natural not
  notnull null offset on only or order outer overlaps placing primary references returning right select session_user similar
  some symmetric system_user table tablesample then to trailing true union unique user using variadic verbose when where window
  with`.split(/\s+/),
)

/** Returns the mistake in a name, as a sentence; `null` if it is valid. */
export function faultOfName(name: unknown): string | null {
  if (typeof name !== 'string' || name === '') return 'It is not a name.'
  if (/\0|\p{Surrogate}/u.test(name)) return 'It has a character that no name can have.'
  const bytes = Buffer.byteLength(name)
  return bytes <= LONGEST ? null : `It is ${bytes} bytes long, and names have at most ${LONGEST}.`
}

/** Writes a name for SQL, quoted only if necessary. */
export function identifier(name: string): string {
  if (/^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name)) return name
  return `"${name.replaceAll('"', '""')}"`
}

/** Appends a suffix to a name. If the result would be too long, shortens the name. */
export function suffixed(name: string, suffix: string): string {
  let start = name
  while (Buffer.byteLength(start + suffix) > LONGEST) start = [...start].slice(0, -1).join('')
  return start + suffix
}

/** Writes a text as a literal of SQL. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
