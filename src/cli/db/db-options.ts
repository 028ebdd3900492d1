import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { PostgresOptions } from 'blazon/postgres'
import { CliError } from '../cli-error.js'

/** Options of every command that opens a database. */
export interface DbOptions {
  readonly cwd: string
  readonly url?: string
  /** The value of `--embedded`. */
  readonly embedded?: string
  /** The value of `--dir`, for commands that use migrations. */
  readonly dir?: string
  readonly tenantRole?: string
  readonly allTenantsRole?: string
}

/**
 * The database and the migrations folder that the options name.
 *
 * @param mustExist Whether an embedded database's folder must already contain a database. Otherwise it is
 * created.
 * @throws CliError when the options name no database, or the embedded folder contains none.
 */
export function databaseOf(options: DbOptions, mustExist: boolean): PostgresOptions {
  const { cwd, dir, tenantRole, allTenantsRole } = options
  const roles = {
    ...(tenantRole === undefined ? {} : { tenantRole }),
    ...(allTenantsRole === undefined ? {} : { allTenantsRole }),
  }
  const folder = dir === undefined ? {} : { migrations: resolve(cwd, dir) }
  return { ...placeOf(options, mustExist), ...roles, ...folder }
}

function placeOf({ cwd, url, embedded }: DbOptions, mustExist: boolean): PostgresOptions {
  // An absolute path, so that the folder may have any name.
  if (embedded !== undefined) return { embedded: folderOf(resolve(cwd, embedded), mustExist) }
  const found = url ?? process.env['DATABASE_URL']
  if (found !== undefined && found !== '') return { url: found }
  throw new CliError({
    status: 2,
    what: 'The command does not know which database to use.',
    cause: 'There is no --url, no --embedded, and no DATABASE_URL in the environment.',
    remedy:
      'Set DATABASE_URL=postgres://user:password@host:5432/database, or give --embedded <folder>.',
  })
}

function folderOf(folder: string, mustExist: boolean): string {
  if (!mustExist || existsSync(join(folder, 'PG_VERSION'))) return folder
  throw new CliError({
    status: 2,
    what: `${folder} holds no database.`,
    cause:
      'An embedded database is a folder that the application, or `blazon db migrate`, has created.',
    remedy: 'Name that folder, or migrate first.',
  })
}
