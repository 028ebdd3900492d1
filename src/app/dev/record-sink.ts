import type { ContractViolation } from '../../contracts/contract-violation.js'
import type { RecordedRequest } from '../../contracts/recorded-request.js'
import type { RequestRecord } from '../../contracts/request-record.js'

/**
 * The key on `globalThis` of the {@link RecordSink} of a process. An application asks for it when it starts; only `blazon dev`
 * sets it, before the application is loaded.
 */
const SINK = Symbol.for('blazon.records')

/** Where a capsule is. */
export interface WrittenCapsule {
  readonly id: string
  /** From the working directory of the application. */
  readonly folder: string
}

/** Everything about a request that is over. */
export interface WholeRecord {
  readonly record: RequestRecord
  readonly sent: RecordedRequest
  /** How the response differs from the document; empty if it does not, or if none describes it. */
  readonly mismatches: readonly ContractViolation[]
  /** The capsule that is written of a failed request; `null` if none is. */
  readonly capsule: WrittenCapsule | null
}

/** Takes the records of all requests of a process. */
export interface RecordSink {
  /** Called for each request that is over. */
  readonly take: (whole: WholeRecord) => void
  /** Returns the line of the program in a stack: `src/orders.ts:41:12`; `null` if it has none. */
  readonly placeIn: (stack: string) => string | null
}

/** Returns the sink of this process; `undefined` outside of `blazon dev`. */
export function recordSink(): RecordSink | undefined {
  return (globalThis as { [SINK]?: RecordSink })[SINK]
}
