import { ConfigError, HttpError } from '../../../index.js'
import type { Connection } from '../driver.js'
import { briefCause, PostgresError } from '../postgres-error.js'
import { lineAt, type MigrationFile, type MigrationStatement } from './migration-files.js'

/**
 * Resets the settings and roles that a migration may have changed in the session, before the next migration or the next
 * user of the connection. Also checks deferred constraints while it is still clear which migration violates them.
 */
const CLEAN = 'set constraints all immediate; reset session authorization; reset role; reset all'

/**
 * Runs the statements of a migration one after the other.
 *
 * @throws ConfigError with the file and the line.
 */
export async function runMigration(connection: Connection, file: MigrationFile): Promise<void> {
  for (const statement of file.statements) {
    await run(connection, statement.text, (error) => failure(file, error, statement))
  }
  await run(connection, CLEAN, (error) => failure(file, error))
}

async function run(
  connection: Connection,
  text: string,
  describe: (error: PostgresError | HttpError) => ConfigError,
): Promise<void> {
  try {
    await connection.script(text)
  } catch (error) {
    throw error instanceof PostgresError || HttpError.is(error) ? describe(error) : error
  }
}

function failure(
  file: MigrationFile,
  error: PostgresError | HttpError,
  statement?: MigrationStatement,
): ConfigError {
  const subject = statement === undefined ? file.name : `${file.name}:${lineOf(statement, error)}`
  const problem = {
    code: 'E_MIGRATION_FAILED',
    subject,
    cause: causeOf(error),
    remedy: remedyFor(file, error),
  } as const
  return new ConfigError([problem], { cause: briefCause(error) })
}

/**
 * Returns the line of an error. PostgreSQL reports a position, counted in characters from 1, only for syntax errors and
 * unknown names.
 */
function lineOf({ text, line }: MigrationStatement, { cause }: Error): number {
  const position = Number((cause as { position?: unknown } | undefined)?.position ?? 1)
  return line - 1 + lineAt([...text].slice(0, position - 1).join(''), text.length)
}

function causeOf(error: PostgresError | HttpError): string {
  if (!(error instanceof PostgresError)) return error.message
  // Errors of class 22 repeat the value that caused them, which may come from a row.
  const message = error.code.startsWith('22')
    ? error.message.replace(/"[^"]*"/g, '"…"')
    : error.message
  return `${error.code}: ${message}${error.hint === undefined ? '' : ` (${error.hint})`}`
}

function remedyFor({ isTransactional }: MigrationFile, error: PostgresError | HttpError): string {
  if (!isTransactional) {
    return 'The statements above this line were run, and their effects remain. The file is not recorded as applied, and the next run starts again at its beginning. Check these effects, and drop an unfinished index, which exists but is invalid. Then change the file so that it can run again.'
  }
  if (error.code === '25001') {
    return 'Put the statement into a separate file, whose first line is: -- blazon: no-transaction'
  }
  return 'Correct the file, and migrate again: the file has changed nothing, and the files before it remain applied.'
}
