import { blameRequest, type HttpError, type Request } from '../../index.js'
import { loadTypeOrm } from './load-typeorm.js'

/**
 * The error fields of a PostgreSQL statement, as `pg` names them. Other databases have other codes, which are
 * not recognised.
 */
interface Refusal {
  readonly code?: unknown
  readonly message?: unknown
  readonly detail?: unknown
  readonly where?: unknown
}

/**
 * The HTTP error for a database error that no code has caught, when a value of the request caused it; else
 * `undefined`.
 */
export function explainRefusal(error: unknown, req: Request): HttpError | undefined {
  const { QueryFailedError } = loadTypeOrm()
  if (!(error instanceof QueryFailedError)) return undefined
  const { code, message, detail, where }: Refusal = error.driverError ?? {}
  const refused = {
    code: String(code),
    message: String(message),
    detail: String(detail ?? ''),
    where: String(where ?? ''),
    values: Object.values(error.parameters ?? []),
  }
  return blameRequest(refused, req, error)
}
