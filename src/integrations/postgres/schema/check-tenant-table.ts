import { ConfigError } from '../../../index.js'
import { type OptionNames, type Problem, unknownOptions } from '../../../plugin/index.js'
import { invalid } from '../options/option-problem.js'
import { faultOfName } from './identifier.js'
import type {
  ProtectTableOptions,
  TenantReference,
  TenantTableOptions,
} from './tenant-table-options.js'

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
 * @throws ConfigError with every mistake.
 */
export function checkTenantTable(subject: string, name: string, options: TenantTableOptions): void {
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
  // PostgreSQL allows a dot in a name, but it is almost certainly a mistake here.
  const remedy = 'Give the schema as an option of its own: schema.'
  return [invalid(`name ${show(name)}`, 'It has a dot, which would be part of the name.', remedy)]
}

function checkName(what: string, name: unknown): Problem[] {
  const cause = faultOfName(name)
  return cause === null ? [] : [invalid(`${what} ${show(name)}`, cause, 'Give another name.')]
}

function checkColumns(columns: unknown): Problem[] {
  const isList = Array.isArray(columns) && columns.every((each) => typeof each === 'string')
  if (isList && columns.every((each) => each.trim() !== '')) return []
  const remedy = "Give one text for each column: ['number integer not null']."
  return [invalid('columns', 'It is not a list of SQL.', remedy)]
}

function checkId(id: unknown): Problem[] {
  if (id === undefined || ['bigint', 'uuid', 'text'].includes(id as string)) return []
  return [invalid('id', 'Unknown kind.', "Give 'bigint', 'uuid' or 'text'.")]
}

// `set null` would also remove the tenant: before PostgreSQL 15, it cannot be limited to some
// columns.
function checkActions({ references = {} }: TenantTableOptions): Problem[] {
  return Object.entries(references).flatMap(([column, target]) => {
    const action = typeof target === 'string' ? undefined : target.onDelete
    if (action === undefined || action === 'cascade') return []
    const remedy = "Give 'cascade', or leave it out."
    return [invalid(`references ${column}: onDelete`, 'Unknown action.', remedy)]
  })
}

function show(name: unknown): string {
  return typeof name === 'string' ? JSON.stringify(name.slice(0, 80)) : typeof name
}
