import { ConfigError, formatProblem, type Logger } from '../../../index.js'
import type { Connection, Driver } from '../driver.js'
import { PostgresError } from '../postgres-error.js'
import { interrupted, releaseCanary } from './canary.js'
import type { DoctorOptions, Examination } from './examination.js'
import type { Finding } from './finding.js'
import { inspectFunctions } from './inspect-functions.js'
import { inspectKeys } from './inspect-keys.js'
import { inspectLogin } from './inspect-login.js'
import { inspectOpenings } from './inspect-openings.js'
import { inspectPolicies } from './inspect-policies.js'
import { inspectReach } from './inspect-reach.js'
import { inspectRoles } from './inspect-roles.js'
import { inspectStorage } from './inspect-storage.js'
import { inspectTables } from './inspect-tables.js'
import { isTenantTable, readRelations } from './read-relations.js'
import { readSetting } from './read-setting.js'

/** How often the doctor starts again when another session locks a table meanwhile. */
const ATTEMPTS = 3

/** The checks that concern the role of tenants. */
const OF_TENANTS = [
  inspectPolicies,
  inspectReach,
  inspectFunctions,
  inspectStorage,
  inspectOpenings,
] as const

/**
 * Looks for ways in which one tenant could reach the rows of another: through the login, roles,
 * tables, policies, views, functions, keys and large objects. Also tries such access. Changes
 * nothing: the tests are rolled back, and have timeouts so that they do not block other sessions.
 *
 * @param connection A connection with the login of the application, without an open transaction.
 * @returns the findings, errors first.
 * @throws HttpError 503 when the connection is lost.
 */
export async function inspectDatabase(
  connection: Connection,
  options: DoctorOptions,
): Promise<Finding[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inspect(connection, options)
    } catch (error) {
      // Another session has just locked a table. The next attempt finds the lock and leaves that
      // table out.
      const isLocked = error instanceof PostgresError && error.code === '55P03'
      if (!isLocked || attempt === ATTEMPTS) throw error
    }
  }
}

async function inspect(connection: Connection, options: DoctorOptions): Promise<Finding[]> {
  const { examination, findings } = await inTransaction(connection, async () => {
    const examination = await examinationOf(connection, options)
    return { examination, findings: await inspectCatalog(examination) }
  })
  findings.push(...examination.lockedRelations.map(interrupted))
  if (examination.mayBecomeTenant) findings.push(...(await releaseCanary(examination)))
  return findings.sort((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'))
}

/**
 * Prevents the start of an application whose database does not keep tenants apart. Logs warnings.
 *
 * @param driver An open driver.
 * @throws ConfigError with every finding of {@link inspectDatabase} that is an error; HttpError 503
 * when the database cannot be reached.
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

/** Runs {@link inspectDatabase} on a connection of an open driver. */
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
  const setting = await readSetting(connection, options)
  const all = await readRelations(connection, setting)
  const relations = all.filter(({ isLocked }) => !isLocked)
  const lockedRelations = all.filter(
    (relation) => relation.isLocked && (isTenantTable(relation) || relation.isReachable),
  )
  const tables = relations.filter(isTenantTable)
  return { ...options, ...setting, connection, relations, tables, lockedRelations }
}

async function inspectCatalog(examination: Examination): Promise<Finding[]> {
  const findings = [
    ...(examination.isEmbedded ? [] : await inspectLogin(examination)),
    ...(await inspectRoles(examination)),
    ...inspectTables(examination),
    ...(await inspectKeys(examination)),
  ]
  // If the role of tenants does not exist, it reaches nothing. `inspectRoles` has already reported
  // that.
  if (examination.tenantRoles.length === 0) return findings
  for (const inspect of OF_TENANTS) findings.push(...(await inspect(examination)))
  return findings
}

/**
 * Runs the checks of the catalog. To read policies, PostgreSQL waits for locks on their tables, so
 * the wait is limited. With this `search_path`, PostgreSQL writes the schema of every name that is
 * not built in.
 */
async function inTransaction<T>(connection: Connection, run: () => Promise<T>): Promise<T> {
  await connection.script(
    `begin read only; set local lock_timeout = '1s'; set local search_path = pg_catalog, pg_temp`,
  )
  try {
    return await run()
  } finally {
    await connection.script('rollback')
  }
}
