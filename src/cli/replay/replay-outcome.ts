import type { RequestRecord } from '../../contracts/request-record.js'
import type { CliErrorFacts } from '../cli-error.js'

/** A capsule to run, and how. */
export interface ReplayOrder {
  /** The absolute path of the capsule. */
  readonly file: string
  /** Its route. */
  readonly route: RequestRecord['route']
  /** Whether the database of the application runs the statements. */
  readonly usesDatabase: boolean
}

/** What was answered now. */
export interface AnsweredNow
  extends Pick<RequestRecord, 'status' | 'error' | 'answeredBy' | 'statementCount'> {
  readonly is: 'answered'
  readonly hasReachedHandler: boolean
}

/** What came of running a capsule: an answer, or why there is none. */
export type ReplayOutcome = AnsweredNow | ({ readonly is: 'stopped' } & CliErrorFacts)
