import type { Finding } from './doctor/finding.js'
import { examine } from './doctor/inspect-database.js'
import type { Driver } from './driver.js'
import { createDriver } from './drivers/create-driver.js'
import {
  type AppliedMigration,
  applyMigrations,
  readStatus,
} from './migrations/apply-migrations.js'
import type { MigrationStatus } from './migrations/history.js'
import { ALL_TENANTS_ROLE, TENANT_ROLE } from './names.js'
import { checkPostgresOptions } from './options/check-postgres-options.js'
import type { PostgresOptions } from './options/postgres-options.js'

/** How a database is migrated. */
export interface MigrateOptions {
  /** The role that the application logs in with, which is made a member of the roles of tenants. Default: none is. */
  readonly login?: string
  /** Whether the roles of tenants have to be there, and are made where they are not. `false` where no tenants are used. Default `true`. */
  readonly roles?: boolean
  /** Whether the database may be ahead of the folder, as while a new version is taken back. Default `false`. */
  readonly allowNewer?: boolean
  /** Told of each migration as soon as it is applied. */
  readonly onApplied?: (migration: AppliedMigration) => void
  /** Told once when another process migrates, and this one waits. */
  readonly onWait?: () => void
}

const SILENT = { info() {}, warn() {}, error() {} }

/**
 * Runs the migrations that have not been run: the files of the folder `migrations` (default `./migrations`), in the order of their names, each in a transaction of
 * its own. Several processes may do so at once.
 *
 * @param database Of a login that may make tables.
 * @returns those that were run, in order.
 * @throws ConfigError where a file is wrong or has changed since it was applied, where a statement fails, where a role is missing that this login may not make, and where
 * an option is wrong or a package missing; HttpError 503 where the database cannot be reached.
 * @example
 * await migrate({ url: process.env.OWNER_DATABASE_URL }, { login: 'shop' })
 */
export function migrate(
  database: PostgresOptions,
  options: MigrateOptions = {},
): Promise<AppliedMigration[]> {
  return withDriver('migrate()', database, (driver) => {
    const { login, roles = true, allowNewer: isNewerAllowed = false, ...hooks } = options
    const wanted = roles ? { ...rolesOf(database), login } : null
    return applyMigrations(driver, {
      folder: folderOf(database),
      roles: wanted,
      isNewerAllowed,
      ...hooks,
    })
  })
}

/**
 * Where each migration stands, in the order of their names. Changes nothing.
 *
 * @throws ConfigError where a file is wrong; HttpError 503 where the database cannot be reached.
 * @example
 * const pending = (await migrationStatus({ url })).filter(({ state }) => state === 'pending')
 */
export function migrationStatus(database: PostgresOptions): Promise<MigrationStatus[]> {
  return withDriver('migrationStatus()', database, (driver) =>
    readStatus(driver, folderOf(database)),
  )
}

/**
 * Looks for what could let one tenant at the rows of another: in roles, tables, policies, views, functions and keys; and tries it, in transactions that are rolled
 * back. Changes nothing.
 *
 * @param database Of the login that the application uses.
 * @returns errors first; nothing where nothing was found.
 * @throws HttpError 503 where the database cannot be reached.
 * @example
 * for (const { code, subject, cause, remedy } of await doctor({ url })) report(code, subject, cause, remedy)
 */
export function doctor(database: PostgresOptions): Promise<Finding[]> {
  return withDriver('doctor()', database, (driver) => examine(driver, rolesOf(database)))
}

function folderOf({ migrations = 'migrations' }: PostgresOptions): string {
  return migrations
}

function rolesOf({ tenantRole = TENANT_ROLE, allTenantsRole = ALL_TENANTS_ROLE }: PostgresOptions) {
  return { tenantRole, allTenantsRole }
}

async function withDriver<T>(
  subject: string,
  database: PostgresOptions,
  use: (driver: Driver) => Promise<T>,
): Promise<T> {
  checkPostgresOptions(subject, database)
  const driver = createDriver(database)
  await driver.open({ logger: SILENT })
  try {
    return await use(driver)
  } finally {
    await driver.close()
  }
}
