import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError } from '../../index.js'
import type { Problem } from '../../plugin/index.js'
import { omnipotent } from './doctor/inspect-login.js'
import { nothingToSee } from './doctor/inspect-tables.js'
import { USER_SCHEMA } from './doctor/read-relations.js'
import type { Connection, Driver } from './driver.js'
import { readStatus } from './migrations/apply-migrations.js'
import { findRole, isRelated } from './roles.js'

/** The application's settings that its database must match. */
export interface Expectations {
  readonly usesTenants: boolean
  /** Whether the application applies its migrations itself. */
  readonly migrates: boolean
  readonly tenantRole: string
}

/** The folder that `blazon db migrate` uses by default. */
const FOLDER = 'migrations'

/**
 * Finds omissions that new users often notice only when a request fails: unapplied migrations, a login to which
 * policies do not apply, missing roles and missing tables.
 *
 * @param driver An open driver.
 * @returns warnings only.
 * @throws HttpError 503 if the database cannot be reached.
 */
export async function findOmissions(driver: Driver, expected: Expectations): Promise<Problem[]> {
  const found = await lending(driver, look)
  const pending = expected.migrates ? [] : await findPending(driver, found)
  if (!expected.usesTenants) return pending
  const login = driver.isEmbedded ? [] : await lending(driver, (lent) => checkLogin(lent, expected))
  // A pending migration explains missing tables.
  const tables = found.hasTenantTable || pending.length > 0 ? [] : [nothingToSee()]
  return [...login, ...pending, ...tables]
}

interface ExistingTables {
  readonly hasHistory: boolean
  readonly hasTable: boolean
  readonly hasTenantTable: boolean
}

const LOOK = `
select
  coalesce(bool_or(n.nspname = 'blazon' and c.relname = 'migrations'), false) as history,
  coalesce(bool_or(${USER_SCHEMA}), false) as tables,
  coalesce(bool_or(${USER_SCHEMA} and exists (
    select from pg_catalog.pg_attribute a
    where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
  )), false) as tenants
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'f')`

/** Reads the catalog, which every login is allowed to read. */
async function look(connection: Connection): Promise<ExistingTables> {
  const [row = {}] = (await connection.query({ text: LOOK })).rows
  return {
    hasHistory: row['history'] === true,
    hasTable: row['tables'] === true,
    hasTenantTable: row['tenants'] === true,
  }
}

async function findPending(
  driver: Driver,
  { hasHistory, hasTable }: ExistingTables,
): Promise<Problem[]> {
  // If tables exist without Blazon's history, another tool has created them and the folder belongs to that tool.
  if (!existsSync(resolve(FOLDER)) || (hasTable && !hasHistory)) return []
  try {
    const list = await readStatus(driver, resolve(FOLDER))
    const names = list.filter(({ state }) => state === 'pending').map(({ name }) => name)
    return names.length === 0 ? [] : [pendingWarning(names, driver)]
  } catch (error) {
    // The login may lack the privilege to read the history, or the files belong to another tool.
    if (error instanceof ConfigError) return []
    throw error
  }
}

function pendingWarning(names: readonly string[], { isEmbedded }: Driver): Problem {
  const [first] = names
  const count = names.length === 1 ? 'It has' : `It and ${names.length - 1} more have`
  const migrate = isEmbedded
    ? "To let the application apply them, write postgres({ migrations: 'migrations' })."
    : 'With the login that owns the tables, run: npx blazon db migrate'
  return {
    code: 'W_MIGRATION_PENDING',
    subject: `${FOLDER}/${first}`,
    cause: `${count} not been applied to this database. Statements that depend on these changes will fail.`,
    remedy: migrate,
  }
}

const LOGIN = 'select session_user::text as login'

async function checkLogin(
  connection: Connection,
  { tenantRole }: Expectations,
): Promise<Problem[]> {
  const { rows } = await connection.query({ text: LOGIN })
  const login = String(rows[0]?.['login'])
  const role = await findRole(connection, login)
  const isAbove = role !== undefined && (role.isSuper || role.bypassesPolicies)
  const warnings: Problem[] = isAbove ? [omnipotent(role, 'W_DATABASE_LOGIN')] : []
  if (await isRelated(connection, [login, tenantRole], 'MAY_BECOME')) return warnings
  const name = isAbove ? '' : ` --login ${login}`
  const cause = `It is not allowed to switch to the role ${tenantRole}, or that role does not exist: every statement for a tenant fails.`
  const remedy = `With the login that owns the tables, run: npx blazon db migrate${name}`
  return [...warnings, { code: 'W_DATABASE_LOGIN', subject: `login ${login}`, cause, remedy }]
}

async function lending<T>(driver: Driver, use: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await driver.connect()
  try {
    return await use(connection)
  } finally {
    connection.release()
  }
}
