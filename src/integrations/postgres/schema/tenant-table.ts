import { ALL_TENANTS_ROLE, TENANT_ROLE, TENANT_SETTING } from '../names.js'
import { checkTenantTable } from './check-tenant-table.js'
import { identifier, literal, suffixed } from './identifier.js'
import type {
  ProtectTableOptions,
  TenantReference,
  TenantTableOptions,
} from './tenant-table-options.js'

/** What the tenant of a new row is, and of the rows that can be seen. Never `''`, which a setting is that was set before. */
const CURRENT = `nullif(current_setting(${literal(TENANT_SETTING)}, true), '')`

/** What the column `id` may be. */
const IDS = {
  bigint: 'id bigint generated always as identity',
  uuid: 'id uuid not null default gen_random_uuid()',
  text: 'id text not null',
} as const

/**
 * SQL for a migration that creates a table whose rows belong to tenants: with `tenant_id`, which is filled in by itself, with keys that begin with it, and with
 * row-level security that not even its owner goes around. PostgreSQL 13 or later. It does nothing by itself: put it into a file, and change it as you
 * like; `blazon db doctor` says when a change has opened something.
 *
 * @param name Of the table, at most 63 bytes. Names are quoted where they must be; `columns` stand as they are.
 * @throws ConfigError when a name cannot be one.
 * @example
 * tenantTable('orders', {
 *   columns: ['number integer not null', 'customer_id bigint not null'],
 *   unique: [['number']],
 *   references: { customer_id: 'customers' },
 * })
 */
export function tenantTable(name: string, options: TenantTableOptions): string {
  checkTenantTable('tenantTable()', name, options)
  const { columns, id = 'bigint', unique = [], schema } = options
  const references = Object.entries(options.references ?? {}).map(referenceOf)
  const table = qualified(name, schema)
  const lines = [
    `tenant_id text not null default ${CURRENT}`,
    IDS[id],
    ...columns.map(definition),
    'primary key (tenant_id, id)',
    ...unique.map((names) => `unique (${withTenant(names)})`),
    ...references.map((reference) => foreignKey(reference, schema)),
  ]
  return [
    `create table ${table} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n);`,
    ...references.map(({ column }) => `create index on ${table} (${withTenant([column])});`),
    '',
    '-- The index of the primary key begins with tenant_id: it is the one that these policies use.',
    ...protection(name, options),
    '',
  ].join('\n')
}

/**
 * SQL for a migration that protects a table that exists, and has a column `tenant_id` of the type `text` that says of every row whose it is. Its keys stay as
 * they are; `blazon db doctor` says which of them do not begin with `tenant_id`.
 *
 * @param name Of the table.
 * @throws ConfigError when a name cannot be one.
 * @example
 * protectTable('invoices')
 */
export function protectTable(name: string, options: ProtectTableOptions = {}): string {
  checkTenantTable('protectTable()', name, { columns: [], ...options })
  const table = qualified(name, options.schema)
  return [
    `alter table ${table}`,
    `  alter column tenant_id set default ${CURRENT},`,
    '  alter column tenant_id set not null;',
    `create index on ${table} (tenant_id);`,
    '',
    ...protection(name, options),
    '',
  ].join('\n')
}

function protection(name: string, options: ProtectTableOptions): string[] {
  const { schema, tenantRole = TENANT_ROLE, allTenantsRole = ALL_TENANTS_ROLE } = options
  const table = qualified(name, schema)
  const [one, all] = [identifier(tenantRole), identifier(allTenantsRole)]
  const mine = `tenant_id = (select ${CURRENT})`
  const usage =
    schema === undefined ? [] : [`grant usage on schema ${identifier(schema)} to ${one}, ${all};`]
  return [
    `alter table ${table} enable row level security;`,
    `alter table ${table} force row level security;`,
    `create policy ${identifier(suffixed(name, '_tenant'))} on ${table} to ${one}`,
    `  using (${mine})`,
    `  with check (${mine});`,
    `create policy ${identifier(suffixed(name, '_all_tenants'))} on ${table} to ${all}`,
    '  using (true) with check (true);',
    ...usage,
    `grant select, insert, update, delete on ${table} to ${one}, ${all};`,
  ]
}

// A comment at its end would hide the comma.
function definition(column: string): string {
  const text = column.trim().replace(/,$/, '')
  return text.includes('--') ? `${text}\n  ` : text
}

interface Reference extends TenantReference {
  readonly column: string
}

function referenceOf([column, target]: [string, string | TenantReference]): Reference {
  return typeof target === 'string' ? { column, table: target } : { ...target, column }
}

// With the tenant in it: the check for the other row goes around row-level security, and would find another tenant's.
function foreignKey({ column, table, onDelete }: Reference, schema: string | undefined): string {
  const action = onDelete === undefined ? '' : ` on delete ${onDelete}`
  const other = qualified(table, schema)
  return `foreign key (${withTenant([column])}) references ${other} (tenant_id, id)${action}`
}

function withTenant(columns: readonly string[]): string {
  return ['tenant_id', ...columns.map(identifier)].join(', ')
}

function qualified(name: string, schema: string | undefined): string {
  return schema === undefined ? identifier(name) : `${identifier(schema)}.${identifier(name)}`
}
