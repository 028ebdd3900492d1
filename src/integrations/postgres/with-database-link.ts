import type { DatabaseLink } from '../../index.js'
import { Engine } from './engine.js'
import type { PostgresOptions } from './options/postgres-options.js'
import { withDriver } from './with-driver.js'

/**
 * Opens a database without an application, for tools of plugins that keep tables in it, and closes it again.
 *
 * @throws ConfigError when an option is wrong or a package is missing; the errors of the function.
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
