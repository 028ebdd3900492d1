/** The setting that holds the tenant of a transaction. Without a tenant, it is empty or missing. */
export const TENANT_SETTING = 'app.tenant_id'

/** The role that runs statements in an application with tenants. */
export const TENANT_ROLE = 'app_tenant'

/** The role that runs statements in `withoutTenant`, which can read the rows of every tenant. */
export const ALL_TENANTS_ROLE = 'app_all_tenants'

/** The maximum length of a name, in bytes. PostgreSQL truncates longer names, so two names could become equal. */
const LONGEST = 63

/** Words that have another meaning unless they are quoted: categories R and T of `pg_get_keywords()`. */
const RESERVED = new Set(
  `all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column
  concurrently constraint create cross current_catalog current_date current_role current_schema current_time current_timestamp
  current_user default deferrable desc distinct do else end except false fetch for foreign freeze from full grant group having
  ilike in initially inner intersect into is isnull join lateral leading left like limit localtime localtimestamp natural not
  notnull null offset on only or order outer overlaps placing primary references returning right select session_user similar
  some symmetric system_user table tablesample then to trailing true union unique user using variadic verbose when where window
  with`.split(/\s+/),
)

/** Returns the problem with a name as a sentence; `null` if the name is valid. */
export function faultOfName(name: unknown): string | null {
  if (typeof name !== 'string' || name === '') return 'It is empty, or not a string.'
  if (/\0|\p{Surrogate}/u.test(name)) return 'It has a character that is not allowed in names.'
  const bytes = Buffer.byteLength(name)
  return bytes <= LONGEST
    ? null
    : `It is ${bytes} bytes long, but names can have at most ${LONGEST}.`
}

/** Returns a name for use in SQL, quoted only if necessary. */
export function identifier(name: string): string {
  if (/^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name)) return name
  return `"${name.replaceAll('"', '""')}"`
}

/** Appends a suffix to a name. Shortens the name if the result would be too long. */
export function suffixed(name: string, suffix: string): string {
  let start = name
  while (Buffer.byteLength(start + suffix) > LONGEST) start = [...start].slice(0, -1).join('')
  return start + suffix
}

/** Returns a string as an SQL literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
