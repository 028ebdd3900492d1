import type { Logger } from '../../../contracts/logger.js'
import { ConfigError, formatProblem } from '../../../errors/config-error.js'
import type { Connection, Driver } from '../driver.js'
import { findRole, isRelated, serverVersion } from '../roles.js'
import { releaseCanary } from './canary.js'
import type { DoctorOptions, Examination } from './examination.js'
import type { Finding } from './finding.js'
import { inspectDetours } from './inspect-detours.js'
import { inspectKeys } from './inspect-keys.js'
import { inspectPolicies } from './inspect-policies.js'
import { inspectLogin, inspectRoles } from './inspect-roles.js'
import { inspectTables } from './inspect-tables.js'
import { readTables } from './read-tables.js'

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
  const version = await serverVersion(connection)
  const { rows } = await connection.query({ text: 'select session_user as login' })
  const login = String(rows[0]?.['login'])
  const tables = await readTables(connection, options.tenantRole)
  const examination: Examination = { ...options, connection, version, login, tables }
  const findings = [
    ...(options.isEmbedded ? [] : await inspectLogin(examination)),
    ...(await inspectRoles(examination)),
    ...inspectTables(examination),
    ...(await inspectKeys(examination)),
    ...(await inspectTenantRole(examination)),
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

/** Without the role nobody has anything to look at. */
async function inspectTenantRole(examination: Examination): Promise<Finding[]> {
  const { connection, tenantRole, login } = examination
  if ((await findRole(connection, tenantRole)) === undefined) return []
  const mayTry = await isRelated(connection, [login, tenantRole], 'MAY_BECOME')
  return [
    ...(await inspectPolicies(examination)),
    ...(await inspectDetours(examination)),
    ...(mayTry ? await releaseCanary(examination) : []),
  ]
}
