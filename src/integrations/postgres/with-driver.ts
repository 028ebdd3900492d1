import type { Driver } from './driver.js'
import { createDriver } from './drivers/create-driver.js'
import { checkPostgresOptions } from './options/check-postgres-options.js'
import type { PostgresOptions } from './options/postgres-options.js'

const SILENT = { info() {}, warn() {}, error() {} }

/**
 * Opens a driver, runs a function with it, and closes it.
 *
 * @param subject The function whose options these are, for error messages.
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
