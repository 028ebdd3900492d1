import { identifier, TENANT_SETTING } from '../schema/names.js'
import { boundColumn, type ComparedColumn } from './bound-column.js'
import { type Examination, type Finding, finding, type Relation } from './examination.js'
import { hasPoliciesAlone, isExposed } from './inspect-tables.js'
import { IS_DETERMINISTIC, isTenantTable } from './read-relations.js'

/** A permissive policy for the tenant role. */
interface Policy {
  readonly table: number
  readonly name: string
  /** The command: `*` all, `r` SELECT, `a` INSERT, `w` UPDATE, `d` DELETE. */
  readonly command: string
  readonly using: string | null
  readonly check: string | null
  /** Whether the condition contains a user-defined cast, which looks like a built-in cast. */
  readonly hasOwnCast: boolean
  /** The columns that the policy is allowed to compare: `tenant_id`, or any column if the table has no `tenant_id`. */
  readonly columns: readonly ComparedColumn[]
}

// Restrictive policies only narrow access, so they are excluded. The policies of a role from which the tenant role
// inherits also apply to the tenant role. The policies of a role that the tenant role can become apply after
// `SET ROLE`.
const LIST = `
select p.polrelid as table, p.polname as name, p.polcmd::text as command,
  pg_get_expr(p.polqual, p.polrelid) as using, pg_get_expr(p.polwithcheck, p.polrelid) as check,
  exists (
    select from pg_catalog.pg_depend d join pg_catalog.pg_cast k on k.castfunc = d.refobjid
    where d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = p.oid and d.refclassid = 'pg_catalog.pg_proc'::regclass
  ) as has_own_cast,
  (
    select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null), 'isDeterministic', ${IS_DETERMINISTIC}))
    from pg_catalog.pg_attribute a
    where a.attrelid = p.polrelid and a.attnum > 0 and not a.attisdropped
      and (a.attname = 'tenant_id' or p.polrelid <> all ($3::oid[]))
  ) as columns
from pg_catalog.pg_policy p
where p.polpermissive and p.polrelid = any($1::oid[]) and (0 = any(p.polroles) or p.polroles && $2::oid[])
order by p.polrelid, p.polname`

/** Checks the access that table policies grant to the tenant role. */
export async function inspectPolicies(examination: Examination): Promise<Finding[]> {
  const { connection, relations, tables, tenantRole, tenantRoles } = examination
  const shown = relations.filter(
    (relation) =>
      (isTenantTable(relation) && relation.isEnabled && isExposed(relation)) ||
      hasPoliciesAlone(relation),
  )
  const values = [shown.map(({ oid }) => oid), tenantRoles, tables.map(({ oid }) => oid)]
  const { rows } = await connection.query({ text: LIST, values })
  const policies = rows.map(readPolicy)
  return shown.flatMap((table) => {
    const own = policies.filter(({ table: oid }) => oid === table.oid)
    if (own.length === 0) return isTenantTable(table) ? [withoutPolicy(table, tenantRole)] : []
    return bySameColumn(own).flatMap((policy) => checkPolicy(table, policy, tenantRole))
  })
}

/**
 * Requires all policies to compare the same column. If two policies compared different columns, a tenant could read the
 * rows of two tenants.
 */
function bySameColumn(policies: readonly Policy[]): Policy[] {
  const [column] = policies.flatMap((policy) =>
    conditionsOf(policy).flatMap((each) => boundColumn(each, policy.columns) ?? []),
  )
  return policies.map((policy) =>
    column === undefined ? policy : { ...policy, columns: [column] },
  )
}

function readPolicy(row: Record<string, unknown>): Policy {
  const text = (column: string) => (row[column] === null ? null : String(row[column]))
  return {
    table: Number(row['table']),
    name: String(row['name']),
    command: String(row['command']),
    using: text('using'),
    check: text('check'),
    hasOwnCast: row['has_own_cast'] === true,
    columns: row['columns'] as ComparedColumn[],
  }
}

function withoutPolicy(table: Relation, tenantRole: string): Finding {
  const subject = `table ${table.fullName}`
  const cause = `It has no policy for the role ${tenantRole}, which therefore cannot read any of its rows.`
  const remedy = `Add the policy that npx blazon db table ${table.name} --existing prints.`
  return finding('E_DATABASE_POLICY', { subject, cause, remedy })
}

function checkPolicy(table: Relation, policy: Policy, tenantRole: string): Finding[] {
  const subject = `policy ${identifier(policy.name)} of table ${table.fullName}`
  const report = (cause: string, remedy: string) =>
    finding('E_DATABASE_POLICY', { subject, cause, remedy })
  const open = conditionsOf(policy).find((each) => !isBound(each, policy))
  if (open !== undefined) {
    const cause = `It grants the role ${tenantRole} access to rows where ${oneLine(open)}. That condition has no comparison that is known to isolate tenants.${policy.hasOwnCast ? ' Its cast is not built into PostgreSQL.' : ''}`
    const remedy = `Drop the policy, or make it compare a column of the type text, uuid or integer without a cast: tenant_id = (select nullif(current_setting('${TENANT_SETTING}', true), '')). PostgreSQL combines the policies of a table with OR.`
    return [report(cause, remedy)]
  }
  const writes = policy.command === '*' || policy.command === 'w'
  if (!writes || policy.check !== null) return []
  const cause = 'It does not check written rows: it has USING, but no WITH CHECK.'
  const remedy = `alter policy ${identifier(policy.name)} on ${table.fullName} with check (${oneLine(policy.using ?? 'false')});`
  return [report(cause, remedy)]
}

function conditionsOf({ using, check }: Policy): string[] {
  return [using, check].filter((each) => each !== null)
}

function isBound(condition: string, { columns, hasOwnCast }: Policy): boolean {
  return !hasOwnCast && boundColumn(condition, columns) !== undefined
}

function oneLine(condition: string | null | undefined): string {
  const text = String(condition).replace(/\s+/g, ' ')
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`
}
