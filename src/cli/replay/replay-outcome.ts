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

/** The response of the replay. */
export interface AnsweredNow
  extends Pick<RequestRecord, 'status' | 'error' | 'answeredBy' | 'statementCount'> {
  readonly is: 'answered'
  readonly hasReachedHandler: boolean
}

/** The result of running a capsule: an answer, or the reason why there is none. */
export type ReplayOutcome = AnsweredNow | ({ readonly is: 'stopped' } & CliErrorFacts)
