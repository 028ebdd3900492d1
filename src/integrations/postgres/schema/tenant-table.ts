import { ConfigError } from '../../../index.js'
import { type OptionNames, type Problem, unknownOptions } from '../../../plugin/index.js'
import { invalid } from '../options/postgres-options.js'
import {
  ALL_TENANTS_ROLE,
  faultOfName,
  identifier,
  literal,
  suffixed,
  TENANT_ROLE,
  TENANT_SETTING,
} from './names.js'
import type {
  ProtectTableOptions,
  TenantReference,
  TenantTableOptions,
} from './tenant-table-options.js'

/**
 * The current tenant, as SQL. `nullif` is needed because the setting is `''` after a transaction that has changed it.
 */
const CURRENT = `nullif(current_setting(${literal(TENANT_SETTING)}, true), '')`

/** The types of the column `id`. */
const IDS = {
  bigint: 'id bigint generated always as identity',
  uuid: 'id uuid not null default gen_random_uuid()',
  text: 'id text not null',
} as const

/**
 * Returns the SQL of a migration that creates a table whose rows belong to tenants. The table has a column `tenant_id`
 * with a default, keys that begin with `tenant_id`, and row-level security that also applies to its owner. It needs
 * PostgreSQL 13 or later.
 *
 * The function does not run the SQL. Put it into a migration file, and change it if necessary. `blazon db doctor`
 * reports changes that give a tenant access to other tenants' rows.
 *
 * @param name The name of the table, at most 63 bytes long. Names are quoted if necessary; `columns` are not changed.
 * @returns the SQL.
 * @throws ConfigError if a name or an option is invalid.
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
    '-- The index of the primary key begins with tenant_id: these policies use it.',
    ...protection(name, options),
    '',
  ].join('\n')
}

/**
 * Returns the SQL of a migration that protects an existing table. The table must have a column `tenant_id` of type
 * `text` that contains the tenant of every row. Its keys are not changed; `blazon db doctor` reports keys that do not
 * include `tenant_id`.
 *
 * @param name The name of the table.
 * @returns the SQL.
 * @throws ConfigError if a name is invalid.
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

// Adds a line break, because a line comment at the end of the column would hide the comma.
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

// The key includes the tenant, because PostgreSQL checks references without row-level security and would accept another
// tenant's row.
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

const REFERENCE: OptionNames<TenantReference> = { table: true, onDelete: true }
const PROTECT_NAMES: OptionNames<ProtectTableOptions> = {
  schema: true,
  tenantRole: true,
  allTenantsRole: true,
}
const NAMES: OptionNames<TenantTableOptions> = {
  ...PROTECT_NAMES,
  columns: true,
  id: true,
  unique: true,
  references: { '*': REFERENCE },
}

type Names = readonly (readonly [what: string, name: unknown])[]

/**
 * Checks the options of a table. The columns are SQL, which only PostgreSQL can check.
 *
 * @throws ConfigError with all problems.
 */
function checkTenantTable(subject: string, name: string, options: TenantTableOptions): void {
  const problems = [
    ...unknownOptions('', options, NAMES),
    ...checkTable(name),
    ...namesOf(options).flatMap(([what, given]) => checkName(what, given)),
    ...checkColumns(options.columns),
    ...checkId(options.id),
    ...checkActions(options),
  ]
  if (problems.length === 0) return
  throw new ConfigError(
    problems.map((problem) => ({ ...problem, subject: `${subject}: ${problem.subject}` })),
  )
}

/** Collects every name in the options, with its purpose. */
function namesOf({ unique = [], references = {}, ...options }: TenantTableOptions): Names {
  const { schema, tenantRole, allTenantsRole } = options
  const given = Object.entries({ schema, tenantRole, allTenantsRole })
  return [
    ...given.filter(([, value]) => value !== undefined),
    ...unique.flat().map((column) => ['unique', column] as const),
    ...Object.entries(references).flatMap(([column, target]) => [
      ['references', column] as const,
      ['references', typeof target === 'string' ? target : target.table] as const,
    ]),
  ]
}

function checkTable(name: unknown): Problem[] {
  const problems = checkName('name', name)
  if (problems.length > 0 || !String(name).includes('.')) return problems
  // PostgreSQL allows a dot in a name, but here it is almost certainly meant to separate the schema.
  const remedy = 'Pass the schema in a separate option: schema.'
  return [invalid(`name ${show(name)}`, 'It has a dot, which would be part of the name.', remedy)]
}

function checkName(what: string, name: unknown): Problem[] {
  const cause = faultOfName(name)
  return cause === null ? [] : [invalid(`${what} ${show(name)}`, cause, 'Use another name.')]
}

function checkColumns(columns: unknown): Problem[] {
  const isList = Array.isArray(columns) && columns.every((each) => typeof each === 'string')
  if (isList && columns.every((each) => each.trim() !== '')) return []
  const remedy = "Pass one string for each column: ['number integer not null']."
  return [invalid('columns', 'It is not a list of SQL strings.', remedy)]
}

function checkId(id: unknown): Problem[] {
  if (id === undefined || ['bigint', 'uuid', 'text'].includes(id as string)) return []
  return [invalid('id', 'It is not a supported type.', "Pass 'bigint', 'uuid' or 'text'.")]
}

// `set null` would also remove the tenant, because before PostgreSQL 15, it cannot be limited to some columns.
function checkActions({ references = {} }: TenantTableOptions): Problem[] {
  return Object.entries(references).flatMap(([column, target]) => {
    const action = typeof target === 'string' ? undefined : target.onDelete
    if (action === undefined || action === 'cascade') return []
    const remedy = "Pass 'cascade', or omit it."
    return [invalid(`references ${column}: onDelete`, 'It is not a supported action.', remedy)]
  })
}

function show(name: unknown): string {
  return typeof name === 'string' ? JSON.stringify(name.slice(0, 80)) : typeof name
}
