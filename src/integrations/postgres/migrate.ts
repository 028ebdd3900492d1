import { type OptionNames, refuseUnknown } from '../../plugin/index.js'
import type { Finding } from './doctor/examination.js'
import { examine } from './doctor/inspect-database.js'
import {
  type AppliedMigration,
  applyMigrations,
  readStatus,
} from './migrations/apply-migrations.js'
import type { MigrationStatus } from './migrations/history.js'
import type { PostgresOptions } from './options/postgres-options.js'
import { ALL_TENANTS_ROLE, TENANT_ROLE } from './schema/names.js'
import { withDriver } from './with-driver.js'

/** Options of {@link migrate}. */
export interface MigrateOptions {
  /**
   * The role with which the application logs in. It becomes a member of the tenant roles. If omitted, no role becomes a
   * member.
   */
  readonly login?: string
  /**
   * Whether to create the tenant roles if they do not exist. Set it to `false` if the application uses no tenants.
   * Default: `true`.
   */
  readonly roles?: boolean
  /**
   * Whether to refuse a database that has later migrations than the folder, as happens after a deployment is rolled
   * back. Default: `false`.
   */
  readonly strict?: boolean
  /** Receives the names of later migrations, once, if the database has any and `strict` is not set. */
  readonly onNewer?: (names: readonly string[]) => void
  /** Receives each migration after it was applied. */
  readonly onApplied?: (migration: AppliedMigration) => void
  /** A callback that runs once if this process must wait for another process that is migrating. */
  readonly onWait?: () => void
}

const NAMES: OptionNames<MigrateOptions> = {
  login: true,
  roles: true,
  strict: true,
  onNewer: true,
  onApplied: true,
  onWait: true,
}

/**
 * Applies the pending migrations: the files in the folder `migrations` (default: `./migrations`), in the order of their
 * names, each in its own transaction unless its first line is `-- blazon: no-transaction`. Several processes can do
 * this at the same time.
 *
 * @param database The options of a connection whose login is allowed to create tables.
 * @returns the migrations that this call applied, in order.
 * @throws ConfigError if a file is invalid, the folder and the database have different histories, a statement fails, a
 * role is missing that this login is not allowed to create, an option is invalid, or a package is missing; HttpError
 * 503 if the database cannot be reached.
 * @example
 * await migrate({ url: process.env.OWNER_DATABASE_URL }, { login: 'shop' })
 */
export function migrate(
  database: PostgresOptions,
  options: MigrateOptions = {},
): Promise<AppliedMigration[]> {
  refuseUnknown('migrate()', options, NAMES)
  return withDriver('migrate()', database, (driver) => {
    const { login, roles = true, strict: isStrict = false, ...hooks } = options
    const wanted = roles ? { ...rolesOf(database), login } : null
    return applyMigrations(driver, {
      folder: folderOf(database),
      roles: wanted,
      isStrict,
      ...hooks,
    })
  })
}

/**
 * Returns the state of each migration, sorted by name. Changes nothing.
 *
 * @throws ConfigError if a file or an option is invalid, a package is missing, or this login is not allowed to read the
 * history; HttpError 503 if the database cannot be reached.
 * @example
 * const pending = (await migrationStatus({ url })).filter(({ state }) => state === 'pending')
 */
export function migrationStatus(database: PostgresOptions): Promise<MigrationStatus[]> {
  return withDriver('migrationStatus()', database, (driver) =>
    readStatus(driver, folderOf(database)),
  )
}

/**
 * Searches for ways in which one tenant could reach another tenant's rows: through the login, roles, tables, policies,
 * views, functions, keys and large objects. Also tries such access, in transactions that are rolled back. Changes
 * nothing.
 *
 * @param database The options of a connection with the application's login.
 * @returns the findings, errors first.
 * @throws ConfigError if an option is invalid or a package is missing; HttpError 503 if the database cannot be reached.
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
