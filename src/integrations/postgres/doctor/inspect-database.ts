import type { Logger } from '../../../contracts/logger.js'
import { ConfigError, formatProblem } from '../../../errors/config-error.js'
import type { Connection, Driver } from '../driver.js'
import { PostgresError } from '../postgres-error.js'
import { findRole, isRelated, serverVersion } from '../roles.js'
import { interrupted, releaseCanary } from './canary.js'
import type { DoctorOptions, Examination } from './examination.js'
import type { Finding } from './finding.js'
import { inspectDetours } from './inspect-detours.js'
import { inspectKeys } from './inspect-keys.js'
import { inspectPolicies } from './inspect-policies.js'
import { inspectLogin, inspectRoles } from './inspect-roles.js'
import { inspectTables } from './inspect-tables.js'
import { readTables } from './read-tables.js'

/** How often it is tried to look at everything while others lock tables. */
const ATTEMPTS = 3

/**
 * Looks for what could let one tenant at the rows of another: in the login, in roles, tables, policies, views, functions and keys; and tries it. Changes
 * nothing: what is tried is rolled back, with timeouts that keep nobody waiting.
 *
 * @param connection Of the login that the application uses, without a transaction.
 * @returns errors first.
 * @throws HttpError 503 where the connection is lost.
 */
export async function inspectDatabase(
  connection: Connection,
  options: DoctorOptions,
): Promise<Finding[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inspect(connection, options)
    } catch (error) {
      // A table that somebody has just locked: the next time it is known, and left alone.
      const isLocked = error instanceof PostgresError && error.code === '55P03'
      if (!isLocked || attempt === ATTEMPTS) throw error
    }
  }
}

async function inspect(connection: Connection, options: DoctorOptions): Promise<Finding[]> {
  const examination = await examinationOf(connection, options)
  const findings = [
    ...(await inTransaction(connection, () => inspectCatalog(examination))),
    ...examination.lockedTables.map(interrupted),
    ...((await mayTry(examination)) ? await releaseCanary(examination) : []),
  ]
  return findings.sort((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'))
}

/**
 * Keeps an application from starting that could not keep its tenants apart. Warnings are logged.
 *
 * @param driver One that is open.
 * @throws ConfigError with everything that {@link inspectDatabase} calls an error; HttpError 503 where the database cannot be reached.
 */
export async function assertIsolation(
  driver: Driver,
  { logger, ...options }: Omit<DoctorOptions, 'isEmbedded'> & { readonly logger: Logger },
): Promise<void> {
  const findings = await examine(driver, options)
  const warnings = findings.filter(({ severity }) => severity === 'warning')
  for (const warning of warnings) logger.warn({ code: warning.code }, formatProblem(warning))
  const errors = findings.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new ConfigError(errors)
}

/** As {@link inspectDatabase}, on a connection of a driver that is open. */
export async function examine(
  driver: Driver,
  roles: Omit<DoctorOptions, 'isEmbedded'>,
): Promise<Finding[]> {
  const connection = await driver.connect()
  try {
    return await inspectDatabase(connection, { ...roles, isEmbedded: driver.isEmbedded })
  } finally {
    connection.release()
  }
}

async function examinationOf(connection: Connection, options: DoctorOptions): Promise<Examination> {
  const version = await serverVersion(connection)
  const { rows } = await connection.query({ text: 'select session_user as login' })
  const all = await readTables(connection, options.tenantRole)
  const tables = all.filter(({ isLocked }) => !isLocked)
  const lockedTables = all.filter(({ isLocked }) => isLocked)
  const login = String(rows[0]?.['login'])
  return { ...options, connection, version, login, tables, lockedTables }
}

async function inspectCatalog(examination: Examination): Promise<Finding[]> {
  return [
    ...(examination.isEmbedded ? [] : await inspectLogin(examination)),
    ...(await inspectRoles(examination)),
    ...inspectTables(examination),
    ...(await inspectKeys(examination)),
    ...((await hasTenantRole(examination)) ? await inspectTenantRole(examination) : []),
  ]
}

async function inspectTenantRole(examination: Examination): Promise<Finding[]> {
  return [...(await inspectPolicies(examination)), ...(await inspectDetours(examination))]
}

async function hasTenantRole({ connection, tenantRole }: Examination): Promise<boolean> {
  return (await findRole(connection, tenantRole)) !== undefined
}

function mayTry({ connection, login, tenantRole }: Examination): Promise<boolean> {
  return isRelated(connection, [login, tenantRole], 'MAY_BECOME')
}

/** To read what a table's policies say, PostgreSQL waits for who has locked it. */
async function inTransaction<T>(connection: Connection, run: () => Promise<T>): Promise<T> {
  await connection.script(`begin read only; set local lock_timeout = '1s'`)
  try {
    return await run()
  } finally {
    await connection.script('rollback')
  }
}
