import type { PostgresOptions } from '../options/postgres-options.js'
import type { RoleOptions } from './ensure-roles.js'
import { readMigrations } from './migration-files.js'

/**
 * Names the state of a new database in memory after its migrations by its sources: roles and files. `undefined` for all
 * other databases, whose state has a history.
 *
 * @throws ConfigError with every mistake in the migrations.
 */
export async function stateOf(
  { embedded, migrations }: PostgresOptions,
  roles: RoleOptions,
): Promise<string | undefined> {
  if (embedded !== 'memory') return undefined
  const files = migrations === undefined ? [] : await readMigrations(migrations)
  return JSON.stringify([roles, files.map(({ name, checksum }) => [name, checksum])])
}
