import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { PostgresOptions } from 'blazon/postgres'
import { formatProblem } from '../../errors/config-error.js'
import { findTexts, levelsOf, skippedNames } from '../../features/env/sources.js'
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
 * Returns the database and the migrations folder that the options specify.
 *
 * @param mustExist Whether the folder of an embedded database must already contain a database. If not, the database is
 * created.
 * @param note Called with a message if a file determines the database. Default: none.
 * @throws CliError if the options specify no database, or the embedded folder contains none.
 */
export function databaseOf(
  options: DbOptions,
  mustExist: boolean,
  note: (line: string) => void = () => {},
): PostgresOptions {
  const { cwd, dir, tenantRole, allTenantsRole } = options
  const roles = {
    ...(tenantRole === undefined ? {} : { tenantRole }),
    ...(allTenantsRole === undefined ? {} : { allTenantsRole }),
  }
  const folder = dir === undefined ? {} : { migrations: resolve(cwd, dir) }
  return { ...placeOf(options, mustExist, note), ...roles, ...folder }
}

function placeOf(
  { cwd, url, embedded }: DbOptions,
  mustExist: boolean,
  note: (line: string) => void,
): PostgresOptions {
  // An absolute path cannot be mistaken for the value `memory`, which means a database in memory.
  if (embedded !== undefined) return { embedded: folderOf(resolve(cwd, embedded), mustExist) }
  if (url !== undefined && url !== '') return { url }
  const { text, from, skipped } = findVariable('DATABASE_URL', cwd)
  if (text === undefined) throw unknownDatabase(skipped)
  if (from !== ENVIRONMENT) note(`The database comes from DATABASE_URL in ${from}.`)
  return { url: text }
}

function unknownDatabase(isSkipped: boolean): CliError {
  const cause = isSkipped
    ? `There is no --url, no --embedded, and no DATABASE_URL in the environment. The file .env sets DATABASE_URL, but is not read under NODE_ENV=${process.env['NODE_ENV']}.`
    : 'There is no --url, no --embedded, and no DATABASE_URL in the environment or in .env.'
  return new CliError({
    status: 2,
    what: 'No database is specified.',
    cause,
    remedy:
      'Set DATABASE_URL=postgres://user:password@host:5432/database, or pass --embedded <folder>.',
  })
}

function folderOf(folder: string, mustExist: boolean): string {
  if (!mustExist || existsSync(join(folder, 'PG_VERSION'))) return folder
  throw new CliError({
    status: 2,
    what: `${folder} does not contain a database.`,
    cause:
      'An embedded database is a folder that the application, or `blazon db migrate`, has created.',
    remedy: 'Specify such a folder, or create the database with `blazon db migrate`.',
  })
}

/** A variable that a command reads itself. */
interface FoundVariable {
  /** `undefined` if the variable is missing or empty. */
  readonly text: string | undefined
  /** {@link ENVIRONMENT}, `.env`, or the path of the file that contains the value. */
  readonly from: string | null
  /** Whether the variable is in an `.env` file that is not read in this environment. */
  readonly skipped: boolean
}

/** The source of a variable that is set in the environment itself. */
const ENVIRONMENT = 'the environment'

/**
 * Reads a variable like `env()`: from the environment, otherwise from `.env` in the folder. The form `NAME_FILE` is
 * also supported.
 *
 * @throws CliError with status 2 if a file cannot be read.
 */
function findVariable(name: string, cwd: string): FoundVariable {
  const { levels, problem } = levelsOf({}, { cwd })
  const variable = { name, isSecret: true, schemas: [] }
  const found = findTexts(new Map([[name, variable]]), levels).get(name)
  const mistake = problem ?? found?.problem
  if (mistake != null) throw new CliError({ status: 2, what: formatProblem(mistake) })
  const { text, from = null } = found ?? {}
  return { text, from, skipped: skippedNames({}, { cwd }).includes(name) }
}
