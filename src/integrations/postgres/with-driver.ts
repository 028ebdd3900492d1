import type { DatabaseLink } from '../../index.js'
import type { Driver } from './driver.js'
import { PgDriver } from './drivers/pg-driver.js'
import { PgliteDriver } from './drivers/pglite-driver.js'
import { Engine } from './engine.js'
import { checkPostgresOptions } from './options/check-postgres-options.js'
import type { PostgresOptions } from './options/postgres-options.js'

/** Creates the driver for the options, without loading or opening it. */
export function createDriver(options: PostgresOptions): Driver {
  const { embedded } = options
  return embedded === undefined ? new PgDriver(options) : new PgliteDriver(embedded, options)
}

const SILENT = { info() {}, warn() {}, error() {} }

/**
 * Opens a driver, runs a function with it, and closes it.
 *
 * @param subject The name of the function that received the options, for error messages.
 */
export async function withDriver<T>(
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

/**
 * Opens a database without an application, calls a function, and closes the database. It is meant for tools of plugins
 * that store tables in the database.
 *
 * @throws ConfigError if an option is invalid or a package is missing; any error from the function.
 * @example
 * const dead = await withDatabaseLink({ url }, (link) => listJobs(link, { state: 'dead' }))
 */
export async function withDatabaseLink<T>(
  options: PostgresOptions,
  use: (link: DatabaseLink) => Promise<T>,
): Promise<T> {
  return await withDriver('withDatabaseLink()', options, (driver) =>
    use(new Engine(options, driver).link),
  )
}
