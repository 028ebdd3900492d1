import type { PostgresOptions } from 'blazon/postgres'
import { ConfigError, formatProblem } from '../../errors/config-error.js'
import { HttpError } from '../../errors/http-error.js'
import { CliError, type ExitStatus } from '../cli-error.js'
import { messageOf } from '../message-of.js'
import { joinKeeper } from './join-keeper.js'

type Postgres = typeof import('blazon/postgres')

/**
 * Runs a function with `blazon/postgres`, which is loaded only at this call.
 *
 * @param database The database that the function opens. Default: none.
 * @throws CliError for errors of the database, of its migrations or of the options.
 */
export async function runDb<T>(
  use: (postgres: Postgres) => T | Promise<T>,
  { embedded }: PostgresOptions = {},
): Promise<T> {
  const leave = embedded === undefined ? undefined : await joinKeeper(embedded)
  // The import uses the public name, because the command line must not import an integration's internal
  // files.
  const postgres = await import('blazon/postgres')
  try {
    return await use(postgres)
  } catch (error) {
    if (error instanceof ConfigError) throw refused(error)
    if (HttpError.is(error)) throw unreachable(error)
    if (error instanceof postgres.PostgresError) throw rejected(error)
    throw error
  } finally {
    leave?.()
  }
}

function refused({ problems, stack }: ConfigError): CliError {
  return new CliError({
    status: statusOf(problems),
    what: problems.map(formatProblem).join('\n\n'),
    stack,
  })
}

function statusOf(problems: ConfigError['problems']): ExitStatus {
  if (problems.some(({ code }) => code === 'E_PEER_MISSING')) return 4
  return problems.some(({ code }) => code === 'E_OPTION_INVALID') ? 2 : 1
}

function unreachable(error: HttpError): CliError {
  return new CliError({
    status: 1,
    what: error.message,
    cause: reasonOf(error.cause),
    remedy: 'Check the address, the login and the password, and whether the server runs.',
    stack: error.stack,
  })
}

/** The reason of a failed connection. Node tries all addresses of a host and reports an error for each. */
function reasonOf(cause: unknown): string {
  return cause instanceof AggregateError ? cause.errors.map(messageOf).join('; ') : messageOf(cause)
}

function rejected(error: Error & { readonly code: string }): CliError {
  return new CliError({
    status: 1,
    what: 'The database refused a statement.',
    cause: `${error.code}: ${error.message}`,
    remedy: 'Check the rights of the login.',
    stack: error.stack,
  })
}
