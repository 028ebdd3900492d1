import type { ContractViolation } from '../../contracts/contract-violation.js'
import type { EndedRequest } from '../../contracts/ended-request.js'
import type { Request } from '../../contracts/handler.js'

/** Compares responses with the document, while an application is developed. */
export interface ResponseWatch {
  /** Begins to follow the response to a request. Later calls change nothing. */
  follow(req: Request): void
  /** Returns the differences between the response and the document. Never throws. */
  mismatchesOf(ended: EndedRequest): readonly ContractViolation[]
}
