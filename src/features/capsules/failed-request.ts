import type { EndedRequest } from '../../contracts/ended-request.js'
import type { RequestSecretTexts } from '../../contracts/plugin.js'
import type { RequestRecord } from '../../contracts/request-record.js'
import type { RanStatement } from '../../contracts/statement.js'

/** A request that the server has failed, with everything that is known of it. */
export interface FailedRequest {
  readonly record: RequestRecord
  readonly ended: EndedRequest
  readonly secrets: RequestSecretTexts
  /** Those that were kept, in the order of their ends. */
  readonly statements: readonly RanStatement[]
}
