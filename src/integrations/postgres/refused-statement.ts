import { HttpError, type Request } from '../../index.js'
import { blameRequest } from '../../plugin/index.js'
import type { Statement } from './driver.js'
import { isConflict, PostgresError, refusalIn, UnsavedError } from './postgres-error.js'

/**
 * The statement of each error. It is not a property of the error, because a logger would then print the statement's
 * values.
 */
const statements = new WeakMap<Error, Statement>()

/** Records which statement was refused, and returns the error. */
export function noteRefused<T>(error: T, statement: Statement): T {
  // Only the first call counts, because it comes from the code that sent the statement.
  if (error instanceof PostgresError && !statements.has(error)) statements.set(error, statement)
  return error
}

/** Returns the response for an uncaught error, if a request value or a conflict between transactions caused it. */
export function explainRefusal(error: unknown, req: Request): HttpError | undefined {
  if (isConflict(error)) return conflict(error)
  // The application continued after an error, so the request did not cause this error.
  if (error instanceof UnsavedError) return undefined
  const refusal = refusalIn(error)
  const values = refusal && statements.get(refusal)?.values
  if (refusal === undefined || values === undefined) return undefined
  const { code, message, detail, cause } = refusal
  const { where } = (cause ?? {}) as { where?: unknown }
  const refused = { code, message, detail, values, where: String(where ?? '') }
  return blameRequest(refused, req, error)
}

function conflict(cause: unknown): HttpError {
  const headers = { 'Retry-After': '1' }
  const options = { code: 'DATABASE_CONFLICT', cause, headers, expose: true }
  return new HttpError(503, 'Other requests have changed the same data; try again', options)
}
