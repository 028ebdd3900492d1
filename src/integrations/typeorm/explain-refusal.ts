import { blameRequest } from '../../features/refused-values/blame-request.js'
import type { HttpError, Request } from '../../index.js'
import { loadTypeOrm } from './load-typeorm.js'

/** What PostgreSQL says of a statement, as `pg` has it. Other databases have codes of their own, and nothing is known of those. */
interface Refusal {
  readonly code?: unknown
  readonly message?: unknown
  readonly detail?: unknown
  readonly where?: unknown
}

/** The answer for an error that nobody has caught, where a value of the request is to blame. */
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
