import { identifier } from '../schema/names.js'
import { keepsApart } from './bound-column.js'
import {
  type Examination,
  type Finding,
  finding,
  type Relation,
  type TenantTable,
} from './examination.js'

/** Privileges that row-level security does not restrict. */
const DANGERS: readonly string[] = ['truncate', 'trigger', 'references']

/** Checks the properties of tables. */
export function inspectTables(examination: Examination): Finding[] {
  const { tables, lockedRelations, tenantRole } = examination
  const others = examination.relations.filter(hasPoliciesAlone)
  if (tables.length + lockedRelations.length + others.length === 0) return [nothingToSee()]
  return [
    ...tables
      .filter(isExposed)
      .flatMap((table) => [
        ...checkProtection(table, tenantRole),
        ...checkColumn(table),
        ...checkIndex(table),
        ...checkPrivileges(table, tenantRole),
      ]),
    ...others.flatMap((table) => [
      ...checkProtection(table, tenantRole),
      ...checkPrivileges(table, tenantRole),
    ]),
  ]
}

/**
 * Whether the tenant role can reach a table that has no `tenant_id` column and is not marked as shared, but has
 * row-level security. Its policies may compare another column.
 */
export function hasPoliciesAlone(relation: Relation): boolean {
  const { column, isReachable, isEnabled, sharing } = relation
  return column === null && isReachable && isEnabled && sharing === 'none'
}

/** Creates the finding for a database without tenant tables. */
export function nothingToSee(): Finding {
  const cause =
    'No table of this database has a column tenant_id, so there are no rows of tenants to protect.'
  const remedy = 'Run the migrations: npx blazon db migrate. Check that this is the right database.'
  return finding('W_DATABASE_TABLES', { subject: 'the database', cause, remedy })
}

/**
 * Whether statements can reach a table directly. A partition without privileges can be reached only through its parent
 * table, and then the parent's policies apply.
 */
export function isExposed({ isChild, isReachable }: Relation): boolean {
  return isReachable || !isChild
}

function checkProtection(table: Relation, tenantRole: string): Finding[] {
  const { fullName, kind, isEnabled, isForced, isChild } = table
  const subject = `table ${fullName}`
  if (kind === 'f') {
    const cause = 'It is a foreign table, which row-level security cannot protect.'
    const remedy = `revoke all on ${fullName} from public, ${identifier(tenantRole)};`
    return [finding('E_DATABASE_RLS', { subject, cause, remedy })]
  }
  if (isEnabled && isForced) return []
  const cause = isEnabled
    ? 'Row-level security is not forced: its owner sees the rows of every tenant.'
    : `Row-level security is off: every role that can access the table sees the rows of every tenant.${isChild ? ' The policies of its parent table apply only to statements that use the name of the parent.' : ''}`
  const remedy = isEnabled
    ? `alter table ${fullName} force row level security;`
    : `Protect it with the SQL that npx blazon db table ${table.name} --existing prints.`
  return [finding('E_DATABASE_RLS', { subject, cause, remedy })]
}

function checkColumn({ fullName, isChild, column }: TenantTable): Finding[] {
  const { isRequired, hasDefault } = column
  const subject = `table ${fullName}`
  const change = `alter table ${fullName} alter column tenant_id`
  const findings: Finding[] = []
  if (!keepsApart(column)) {
    const fault = column.isDeterministic
      ? `tenant_id is of the type ${column.type}`
      : 'tenant_id has a collation that is not deterministic'
    const cause = `${fault}: the operator = can treat different values as equal.`
    const remedy = `Use the type text, uuid or integer. Drop the policies, and then: ${change} type text collate "default";`
    findings.push(finding('E_DATABASE_COLUMN', { subject, cause, remedy }))
  }
  if (!isRequired) {
    const cause =
      'tenant_id can be null: a row with null belongs to no tenant, and no tenant can read it.'
    const remedy = `${change} set not null;`
    findings.push(finding('E_DATABASE_COLUMN', { subject, cause, remedy }))
  }
  // A row that is inserted through the parent table gets the parent's default.
  if (!hasDefault && !isChild) {
    const cause = 'tenant_id has no default: each INSERT must specify the tenant.'
    const remedy = `${change} set default nullif(current_setting('app.tenant_id', true), '');`
    findings.push(finding('E_DATABASE_COLUMN', { subject, cause, remedy }))
  }
  return findings
}

function checkIndex({ fullName, column, kind }: TenantTable): Finding[] {
  if (column.isIndexed || kind === 'f') return []
  const cause =
    'No index begins with tenant_id: each query of a tenant scans the rows of all tenants.'
  const remedy = `create index on ${fullName} (tenant_id), or change the primary key to (tenant_id, id).`
  return [finding('E_DATABASE_INDEX', { subject: `table ${fullName}`, cause, remedy })]
}

function checkPrivileges({ fullName, privileges }: Relation, tenantRole: string): Finding[] {
  const dangers = DANGERS.filter((privilege) => privileges.includes(privilege))
  if (dangers.length === 0) return []
  const list = dangers.join(', ')
  const cause = `The role ${tenantRole} has privileges that row-level security does not restrict: ${list.toUpperCase()}.`
  const remedy = `revoke ${list} on ${fullName} from public, ${identifier(tenantRole)};`
  return [finding('E_DATABASE_GRANT', { subject: `table ${fullName}`, cause, remedy })]
}
