import { refuse } from '../../../errors/refuse.js'
import { HttpError } from '../../../index.js'
import { IN_FAILED, PostgresError } from '../postgres-error.js'

/** What PostgreSQL sends instead of an answer, as `pg` and PGlite read it. */
interface Refusal extends Error {
  readonly code: string
  readonly severity: string
  readonly constraint?: string
  readonly schema?: string
  readonly table?: string
  readonly column?: string
  readonly detail?: string
  readonly hint?: string
}

/**
 * SQLSTATEs that say nothing of the statement: the connection, or the server, is at its end. Class 08 is about connections, but 08P01 with
 * a connection that goes on is a wrong number of values.
 */
const AT_ITS_END = /^(?:08(?!P01)...|57P0[1-5]|53300|25P03)$/

/** The server cannot be reached, lets nobody in, or has ended the connection. */
export function unavailable(cause: unknown): HttpError {
  return refuse('DATABASE_UNAVAILABLE', 'The database cannot be reached.', { cause, stack: true })
}

/** Every connection is lent, and has been for the acquire time. */
export function busy(): HttpError {
  return refuse('DATABASE_BUSY', 'All connections to the database are in use.', { stack: true })
}

/** A statement has taken longer than it may. */
export function overtime(cause: unknown): HttpError {
  return refuse('DATABASE_TIMEOUT', 'The database did not answer in time.', { cause, stack: true })
}

/** A statement of a flight that was not run, because one before it was refused: as the server says it of those in a transaction. */
export function skipped(): PostgresError {
  const message =
    'It was not run: PostgreSQL refused an earlier statement that was sent together with it.'
  return new PostgresError(message, { code: IN_FAILED })
}

/**
 * What to throw for what a driver has thrown while it ran a statement.
 *
 * @param lose Makes the error where there is no answer. Default: it is unavailable.
 */
export function failureOf(error: unknown, lose: () => Error = () => unavailable(error)): Error {
  if (HttpError.is(error) || error instanceof PostgresError) return error
  if (!isRefusal(error)) return lose()
  // Its cause says that it was the server: nothing is left in doubt.
  if (isOvertime(error)) return overtime(refusalOf(error))
  if (AT_ITS_END.test(error.code) || isFatal(error)) return unavailable(error)
  return refusalOf(error)
}

function refusalOf(error: Refusal): PostgresError {
  return new PostgresError(error.message, error, { cause: withoutValues(error) })
}

// PGlite puts the values of the statement to the error, where whoever logs it would print them.
function withoutValues(error: Refusal): Refusal {
  for (const name of ['params', 'query', 'queryOptions']) Reflect.deleteProperty(error, name)
  return error
}

// Not by the code alone: those of Node look alike, as EPIPE does.
function isRefusal(error: unknown): error is Refusal {
  const { code, severity } = (error ?? {}) as Partial<Refusal>
  return error instanceof Error && typeof code === 'string' && typeof severity === 'string'
}

// 57014 is also for statements that were ended by hand, and for a COPY that nobody sends rows to.
function isOvertime({ code, message }: Refusal): boolean {
  return code === '25P04' || (code === '57014' && !/user request|COPY/.test(message))
}

// A server may say it in its own language: it helps with poolers, whose codes tell less, and is never the only sign.
function isFatal({ severity }: Refusal): boolean {
  return severity === 'FATAL' || severity === 'PANIC'
}
