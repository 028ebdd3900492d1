import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { PostgresOptions } from 'blazon/postgres'
import { ConfigError, formatProblem } from '../../errors/config-error.js'
import { HttpError } from '../../errors/http-error.js'
import { CliError, type CliErrorFacts, type ExitStatus } from '../cli-error.js'
import { messageOf } from '../texts.js'

type Postgres = typeof import('blazon/postgres')

/** The SQLSTATEs for a missing table and a missing schema. */
const MISSING = ['42P01', '3F000']

/**
 * Runs a function with `blazon/postgres`, which is loaded only when this function is called.
 *
 * @param database The database that the function opens. Default: none.
 * @param missing The failure if the table does not exist. Default: the same as for other refused statements.
 * @throws CliError for errors in the database, its migrations or the options.
 */
export async function runDb<T>(
  use: (postgres: Postgres) => T | Promise<T>,
  { embedded }: PostgresOptions = {},
  missing?: CliErrorFacts,
): Promise<T> {
  const leave = embedded === undefined ? undefined : await joinKeeper(embedded)
  // The public name is used, because the command line must not import an integration's internal files.
  const postgres = await import('blazon/postgres')
  try {
    return await use(postgres)
  } catch (error) {
    if (error instanceof ConfigError) throw refused(error)
    if (HttpError.is(error)) throw unreachable(error)
    if (!(error instanceof postgres.PostgresError)) throw error
    const isMissing = missing !== undefined && MISSING.includes(error.code)
    throw isMissing ? new CliError(missing) : rejected(error)
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
    remedy: 'Check the address, the login and the password, and whether the server is running.',
    stack: error.stack,
  })
}

/** Returns the reason for a failed connection. Node tries all addresses of a host and reports an error for each. */
function reasonOf(cause: unknown): string {
  return cause instanceof AggregateError ? cause.errors.map(messageOf).join('; ') : messageOf(cause)
}

function rejected(error: Error & { readonly code: string }): CliError {
  return new CliError({
    status: 1,
    what: 'The database refused a statement.',
    cause: `${error.code}: ${error.message}`,
    remedy: 'Check the privileges of the login.',
    stack: error.stack,
  })
}

/**
 * The key under which `blazon/postgres` looks for a function that returns the socket of an embedded database, and the
 * file in which a process of `blazon dev` stores the socket. `integrations/postgres/keeper/` contains the same two
 * constants, because this folder must not import an integration's internal files.
 */
const KEEP = Symbol.for('blazon.keep')
const LOCK_FILE = 'blazon.lock'

/**
 * If `blazon dev` has opened the embedded database in a folder, lets this process share it through `blazon dev`,
 * because only one process can open a database.
 *
 * @returns a function that ends this use.
 */
async function joinKeeper(folder: string): Promise<() => void> {
  const path = socketOf(folder)
  if (path === undefined || !(await responds(path))) return () => {}
  const holder = globalThis as { [KEEP]?: unknown }
  holder[KEEP] = async () => ({ path, marker: join(folder, LOCK_FILE) })
  return () => delete holder[KEEP]
}

function socketOf(folder: string): string | undefined {
  try {
    const { socket } = JSON.parse(readFileSync(join(folder, LOCK_FILE), 'utf8'))
    return typeof socket === 'string' ? socket : undefined
  } catch {
    // No process has opened the database, or the lock is being written.
    return undefined
  }
}

/** Whether the owner of a lock responds. If the owner was killed, its lock may still exist. */
function responds(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
