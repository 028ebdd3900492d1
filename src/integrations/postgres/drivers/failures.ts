import { HttpError } from '../../../index.js'
import { IN_FAILED, PostgresError } from '../postgres-error.js'

/** The error response of PostgreSQL, as `pg` and PGlite parse it. */
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

/** Every connection was in use for the whole acquire time. */
export function busy(): HttpError {
  return new HttpError(503, 'All connections to the database are in use.', {
    code: 'DATABASE_BUSY',
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
 * A statement of a flight was not run, because the server refused an earlier one. The code is the
 * one that the server uses inside a transaction.
 */
export function skipped(): PostgresError {
  const message =
    'It was not run: PostgreSQL refused an earlier statement that was sent together with it.'
  return new PostgresError(message, { code: IN_FAILED })
}

/**
 * Returns the error to throw when a driver has thrown while it ran a statement.
 *
 * @param lose Creates the error when the server has sent no response. Default:
 * `DATABASE_UNAVAILABLE`.
 */
export function failureOf(error: unknown, lose: () => Error = () => unavailable(error)): Error {
  if (HttpError.is(error) || error instanceof PostgresError) return error
  if (!isRefusal(error)) return lose()
  // The cause shows that the server itself has refused the statement, so its outcome is known.
  if (isOvertime(error)) return overtime(refusalOf(error))
  if (AT_ITS_END.test(error.code) || isFatal(error)) return unavailable(error)
  return refusalOf(error)
}

function refusalOf(error: Refusal): PostgresError {
  return new PostgresError(error.message, error, { cause: withoutValues(error) })
}

// PGlite adds the values of the statement to the error, and a logger would print them.
function withoutValues(error: Refusal): Refusal {
  for (const name of ['params', 'query', 'queryOptions']) Reflect.deleteProperty(error, name)
  return error
}

// The code alone is not enough: Node's codes, for example EPIPE, look alike.
function isRefusal(error: unknown): error is Refusal {
  const { code, severity } = (error ?? {}) as Partial<Refusal>
  return error instanceof Error && typeof code === 'string' && typeof severity === 'string'
}

// PostgreSQL also uses 57014 for statements cancelled by a user and for a COPY without rows.
function isOvertime({ code, message }: Refusal): boolean {
  return code === '25P04' || (code === '57014' && !/user request|COPY/.test(message))
}

// The severity may be translated by the server. It is a second sign, useful with poolers, whose
// codes are less exact.
function isFatal({ severity }: Refusal): boolean {
  return severity === 'FATAL' || severity === 'PANIC'
}
