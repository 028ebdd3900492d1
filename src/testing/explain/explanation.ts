import type { RequestRecord } from '../../contracts/request-record.js'
import { explanationText } from '../../features/records/explanation-text.js'
import { ContractError, UnbuiltDocumentError } from '../contract/violation.js'
import { addToMessage } from '../join-failures.js'

/**
 * The reasons for a response of an application under test. As text, it is a few lines for people:
 * `String(explanation)`.
 */
export interface Explanation extends RequestRecord {
  /** Returns the lines that failed assertions of supertest show. */
  toString(): string
}

/** Gives a record its text. The method does not show in comparisons and in JSON, because the record is plain data. */
export function explanationOf(record: RequestRecord): Explanation {
  return Object.defineProperty(record, 'toString', { value: () => explanationText(record) })
}

/** A test may throw one error for several requests. */
const explained = new WeakSet<Error>()

/** Adds the reasons for the response to the message of a failed assertion. */
export function explainFailure(failure: unknown, record: RequestRecord): void {
  // Their text already has the difference to the document, or that there is no document.
  if (failure instanceof ContractError || failure instanceof UnbuiltDocumentError) return
  if (!(failure instanceof Error) || explained.has(failure)) return
  explained.add(failure)
  addToMessage(failure, explanationText(record))
}
