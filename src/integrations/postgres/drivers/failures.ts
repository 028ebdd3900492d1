import { HttpError } from '../../../index.js'
import { IN_FAILED, PostgresError } from '../postgres-error.js'

/** The error response of PostgreSQL, in the form of `pg` and PGlite. */
interface Refusal extends Error {
  readonly code: string
  readonly severity: string
  /** The function of PostgreSQL's source that has refused. */
  readonly routine?: string
  readonly constraint?: string
  readonly schema?: string
  readonly table?: string
  readonly column?: string
  readonly detail?: string
  readonly hint?: string
}

/** A statement wrote to a read-only server: a standby, or a primary that was demoted. */
export const READ_ONLY = '25006'

/**
 * SQLSTATEs that concern the server, and not the statement. The server has refused and saved nothing: it takes no writes, or
 * has no space on its disk or in its memory. `docs/postgres.md` has the whole table.
 */
const UNFIT: readonly string[] = [READ_ONLY, '53100', '53200']

/**
 * SQLSTATEs that concern the connection or the server, not the statement: the connection is no
 * longer usable. Class 08 is about connections, but 08P01 on a connection that stays open means a
 * wrong number of values.
 */
const AT_ITS_END = /^(?:08(?!P01)...|57P0[1-5]|53300|25P03)$/

/** The server cannot be reached, refuses the login, or has closed the connection. */
export function unavailable(cause: unknown): HttpError {
  return new HttpError(503, 'The database cannot be reached.', {
    code: 'DATABASE_UNAVAILABLE',
    cause,
  })
}

/**
 * Every connection was in use for the whole acquire time.
 *
 * @param cause Why the server has refused one more.
 */
export function busy(cause?: unknown): HttpError {
  return new HttpError(503, 'All connections to the database are in use.', {
    code: 'DATABASE_BUSY',
    cause,
  })
}

/** A statement has exceeded its time limit. */
export function overtime(cause: unknown): HttpError {
  return new HttpError(503, 'The database did not respond in time.', {
    code: 'DATABASE_TIMEOUT',
    cause,
  })
}

/**
 * A statement of a flight was not run, because the server refused an earlier one. The server uses the same code inside
 * a transaction.
 */
export function skipped(): PostgresError {
  const message =
    'It was not run: PostgreSQL refused an earlier statement that was sent together with it.'
  return new PostgresError(message, { code: IN_FAILED })
}

/** A driver's facts about a statement that has failed. */
export interface FailureTerms {
  /** Creates the error when the server has sent no response. Default: `DATABASE_UNAVAILABLE`. */
  readonly lose?: (() => Error) | undefined
  /** Whether the statement ran for the statement timeout. Default: `false`. */
  readonly hasRunLong?: boolean
}

/** Returns the error to throw when a driver throws while it runs a statement. */
export function failureOf(error: unknown, { lose, hasRunLong = false }: FailureTerms = {}): Error {
  if (HttpError.is(error) || error instanceof PostgresError) return error
  if (!isRefusal(error)) return lose?.() ?? unavailable(error)
  // The cause shows that the server itself has refused the statement, so its outcome is certain.
  if (isOvertime(error, hasRunLong)) return overtime(refusalOf(error))
  if (UNFIT.includes(error.code)) return unavailable(refusalOf(error))
  if (AT_ITS_END.test(error.code) || isFatal(error)) return unavailable(error)
  return refusalOf(error)
}

function refusalOf(error: Refusal): PostgresError {
  return new PostgresError(error.message, error, { cause: withoutValues(error) })
}

// PGlite adds the values of the statement to the error, and a logger would write them.
function withoutValues(error: Refusal): Refusal {
  for (const name of ['params', 'query', 'queryOptions']) Reflect.deleteProperty(error, name)
  return error
}

// The code alone is not enough: Node's codes, for example EPIPE, look alike.
function isRefusal(error: unknown): error is Refusal {
  const { code, severity } = (error ?? {}) as Partial<Refusal>
  return error instanceof Error && typeof code === 'string' && typeof severity === 'string'
}

/** Whether the server refuses a connection because its limit is reached. PgBouncer has one code for all its errors. */
export function isFull(error: unknown): boolean {
  return isRefusal(error) && (error.code === '53300' || error.code === '08P01')
}

/** Whether a server has rejected a write because it is read-only. */
export function isReadOnly(error: unknown): boolean {
  return isRefusal(error) && error.code === READ_ONLY
}

/** The function of PostgreSQL that ends a running statement. Other functions use its code for a COPY without rows. */
const INTERRUPTS = 'ProcessInterrupts'

// A cancelled statement has the same code as a statement that took too long, and `lc_messages` decides about the text.
// A shorter limit of the program itself is recognised only by an English text.
function isOvertime({ code, routine, message }: Refusal, hasRunLong: boolean): boolean {
  if (code === '25P04') return true
  const isInterrupted = code === '57014' && (routine === undefined || routine === INTERRUPTS)
  return isInterrupted && (hasRunLong || message.includes('statement timeout'))
}

// The severity may be translated by the server. It is a second sign, useful with poolers, whose
// codes are less exact.
function isFatal({ severity }: Refusal): boolean {
  return severity === 'FATAL' || severity === 'PANIC'
}
