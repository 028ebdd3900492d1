import { blameRequest } from '../../features/refused-values/blame-request.js'
import type { HttpError, Request } from '../../index.js'
import type { Statement } from './driver.js'
import { PostgresError, refusalIn, UnsavedError } from './postgres-error.js'

/** Beside the errors, and not in them: whoever logs an error prints what is in it. */
const statements = new WeakMap<Error, Statement>()

/** Remembers which statement was refused; answers with the error. */
export function noteRefused<T>(error: T, statement: Statement): T {
  // The first one to note it knows best: it has sent it.
  if (error instanceof PostgresError && !statements.has(error)) statements.set(error, statement)
  return error
}

/** The answer for an error that nobody has caught, where a value of the request is to blame. */
export function explainRefusal(error: unknown, req: Request): HttpError | undefined {
  // It is the program that went on.
  if (error instanceof UnsavedError) return undefined
  const refusal = refusalIn(error)
  const values = refusal && statements.get(refusal)?.values
  if (refusal === undefined || values === undefined) return undefined
  const { code, message, detail, cause } = refusal
  const { where } = (cause ?? {}) as { where?: unknown }
  const refused = { code, message, detail, values, where: String(where ?? '') }
  return blameRequest(refused, req, error)
}
