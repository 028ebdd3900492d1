import type { Driver } from '../driver.js'
import type { PostgresOptions } from '../options/postgres-options.js'
import { PgDriver } from './pg-driver.js'
import { PgliteDriver } from './pglite-driver.js'

/** Creates the driver that the options select. It loads and opens nothing yet. */
export function createDriver(options: PostgresOptions): Driver {
  const { embedded } = options
  return embedded === undefined ? new PgDriver(options) : new PgliteDriver(embedded, options)
}
