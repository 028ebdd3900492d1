import { HttpError } from '../../../index.js'
import { IN_FAILED, PostgresError } from '../postgres-error.js'

/** An error response from PostgreSQL, in the form that `pg` and PGlite use. */
interface Refusal extends Error {
  readonly code: string
  readonly severity: string
  /** The function in PostgreSQL's source that raised the error. */
  readonly routine?: string
  readonly constraint?: string
  readonly schema?: string
  readonly table?: string
  readonly column?: string
  readonly detail?: string
  readonly hint?: string
}

/** The SQLSTATE for a write on a read-only server: a standby, or a primary that was demoted. */
export const READ_ONLY = '25006'

/**
 * SQLSTATEs that concern the server, not the statement. The server refused the statement and saved nothing, because it
 * does not accept writes or is out of disk space or memory. `docs/postgres.md` lists the responses for all SQLSTATEs.
 */
const UNFIT: readonly string[] = [READ_ONLY, '53100', '53200']

/**
 * SQLSTATEs that concern the connection or the server, not the statement. The connection is no longer usable. Class 08
 * is about connections, but 08P01 on a connection that stays open means that the number of values is invalid.
 */
const AT_ITS_END = /^(?:08(?!P01)...|57P0[1-5]|53300|25P03)$/

/**
 * Creates the error for a server that cannot be reached, refuses the login, has closed the connection, or cannot run
 * statements at present.
 */
export function unavailable(cause: unknown): HttpError {
  return new HttpError(503, 'The database cannot be reached.', {
    code: 'DATABASE_UNAVAILABLE',
    cause,
  })
}

/**
 * Creates the error for a pool whose connections were all in use for the whole acquire time.
 *
 * @param cause The reason why the server refused another connection.
 */
export function busy(cause?: unknown): HttpError {
  return new HttpError(503, 'All connections to the database are in use.', {
    code: 'DATABASE_BUSY',
    cause,
  })
}

/** Creates the error for a statement that has exceeded its time limit. */
export function overtime(cause: unknown): HttpError {
  return new HttpError(503, 'The database did not respond in time.', {
    code: 'DATABASE_TIMEOUT',
    cause,
  })
}

/**
 * Creates the error for a statement that did not run because the server refused an earlier statement of the same
 * flight. Inside a failed transaction, the server itself uses this code, 25P02.
 */
export function skipped(): PostgresError {
  const message =
    'The statement was not run: PostgreSQL refused an earlier statement of the same batch.'
  return new PostgresError(message, { code: IN_FAILED })
}

/** Additional information from the driver about a failed statement. */
export interface FailureTerms {
  /** Creates the error for a server that has sent no response. If omitted, the error is `DATABASE_UNAVAILABLE`. */
  readonly lose?: (() => Error) | undefined
  /** Whether the statement was running for the whole statement timeout. Default: `false`. */
  readonly hasRunLong?: boolean
}

/** Converts an error that a driver threw for a statement to the error that the caller receives. */
export function failureOf(error: unknown, { lose, hasRunLong = false }: FailureTerms = {}): Error {
  if (HttpError.is(error) || error instanceof PostgresError) return error
  if (!isRefusal(error)) return lose?.() ?? unavailable(error)
  // The error comes from the server itself, so the outcome of the statement is certain.
  if (isOvertime(error, hasRunLong)) return overtime(refusalOf(error))
  if (UNFIT.includes(error.code)) return unavailable(refusalOf(error))
  if (AT_ITS_END.test(error.code) || isFatal(error)) return unavailable(error)
  return refusalOf(error)
}

function refusalOf(error: Refusal): PostgresError {
  return new PostgresError(error.message, error, { cause: withoutValues(error) })
}

// Removes the statement's values, which PGlite adds to the error and a logger would write.
function withoutValues(error: Refusal): Refusal {
  for (const name of ['params', 'query', 'queryOptions']) Reflect.deleteProperty(error, name)
  return error
}

// The code alone is not sufficient, because Node's codes, such as EPIPE, look similar.
function isRefusal(error: unknown): error is Refusal {
  const { code, severity } = (error ?? {}) as Partial<Refusal>
  return error instanceof Error && typeof code === 'string' && typeof severity === 'string'
}

/**
 * Whether the server refused a connection because its limit is reached. PgBouncer uses 08P01 for all of its errors.
 */
export function isFull(error: unknown): boolean {
  return isRefusal(error) && (error.code === '53300' || error.code === '08P01')
}

/** Whether a server has rejected a write because it is read-only. */
export function isReadOnly(error: unknown): boolean {
  return isRefusal(error) && error.code === READ_ONLY
}

/**
 * The PostgreSQL function that interrupts a running statement. Other functions also use the code 57014, when a client
 * sends no rows for `COPY … FROM STDIN`.
 */
const INTERRUPTS = 'ProcessInterrupts'

// A cancelled statement has the same code as a statement that took too long, and the language of the message depends on
// `lc_messages`. If the application has set a shorter limit, the timeout is recognized only by an English message.
function isOvertime({ code, routine, message }: Refusal, hasRunLong: boolean): boolean {
  if (code === '25P04') return true
  const isInterrupted = code === '57014' && (routine === undefined || routine === INTERRUPTS)
  return isInterrupted && (hasRunLong || message.includes('statement timeout'))
}

// The severity is checked in addition to the code, because the codes of poolers are less exact. The severity alone does
// not suffice, because a server may translate it.
function isFatal({ severity }: Refusal): boolean {
  return severity === 'FATAL' || severity === 'PANIC'
}
