import { TENANT_SETTING } from '../names.js'
import { identifier } from '../schema/identifier.js'
import type { Examination, TenantTable } from './examination.js'
import { type Finding, finding } from './finding.js'
import { isExposed } from './inspect-tables.js'
import { isTenantBound } from './is-tenant-bound.js'

/** A policy that opens something to the role of tenants, by itself or as one of several. */
interface Policy {
  readonly table: number
  readonly name: string
  /** `*` all, `r` SELECT, `a` INSERT, `w` UPDATE, `d` DELETE. */
  readonly command: string
  readonly using: string | null
  readonly check: string | null
}

// Restrictive policies only narrow. Those of roles that the tenants' role inherits from hold for it as well.
const LIST = `
select p.polrelid as table, p.polname as name, p.polcmd::text as command,
  pg_get_expr(p.polqual, p.polrelid) as using, pg_get_expr(p.polwithcheck, p.polrelid) as check
from pg_catalog.pg_policy p
where p.polpermissive and p.polrelid = any($1::oid[]) and exists (
  select from unnest(p.polroles) role
  where role = 0 or pg_has_role($2::name, role, 'usage')
)
order by p.polrelid, p.polname`

/** Looks at what the policies of tables let the role of tenants do. */
export async function inspectPolicies(examination: Examination): Promise<Finding[]> {
  const { connection, tables, tenantRole } = examination
  const shown = tables.filter((table) => table.isEnabled && isExposed(table))
  const values = [shown.map(({ oid }) => oid), tenantRole]
  const { rows } = await connection.query({ text: LIST, values })
  const policies = rows.map((row): Policy => {
    const text = (column: string) => (row[column] === null ? null : String(row[column]))
    return {
      table: Number(row['table']),
      name: String(row['name']),
      command: String(row['command']),
      using: text('using'),
      check: text('check'),
    }
  })
  return shown.flatMap((table) => {
    const own = policies.filter(({ table: oid }) => oid === table.oid)
    return own.length === 0
      ? [withoutPolicy(table, tenantRole)]
      : own.flatMap((policy) => checkPolicy(table, policy, tenantRole))
  })
}

function withoutPolicy(table: TenantTable, tenantRole: string): Finding {
  const subject = `table ${table.fullName}`
  const cause = `It has no policy for the role ${tenantRole}, which therefore sees nothing of it.`
  const remedy = `Add one: npx blazon db table ${table.name} --existing prints it.`
  return finding('E_DATABASE_POLICY', { subject, cause, remedy })
}

function checkPolicy(table: TenantTable, policy: Policy, tenantRole: string): Finding[] {
  const subject = `policy ${identifier(policy.name)} of table ${table.fullName}`
  const report = (cause: string, remedy: string) =>
    finding('E_DATABASE_POLICY', { subject, cause, remedy })
  const open = [policy.using, policy.check].find((each) => each !== null && !isTenantBound(each))
  if (open !== undefined) {
    const cause = `It lets the role ${tenantRole} at rows where ${oneLine(open)}, which is not those of one tenant.`
    const remedy = `Drop it, or let it compare: tenant_id = (select nullif(current_setting('${TENANT_SETTING}', true), '')). Policies of one table are added up.`
    return [report(cause, remedy)]
  }
  const writes = policy.command === '*' || policy.command === 'w'
  if (!writes || policy.check !== null) return []
  const cause = 'It says nothing of rows that are written: it has USING, and no WITH CHECK.'
  const remedy = `alter policy ${identifier(policy.name)} on ${table.fullName} with check (${oneLine(policy.using ?? 'false')});`
  return [report(cause, remedy)]
}

function oneLine(condition: string | null | undefined): string {
  const text = String(condition).replace(/\s+/g, ' ')
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`
}
