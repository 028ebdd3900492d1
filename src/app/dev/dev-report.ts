import type { ContractViolation } from '../../contracts/contract-violation.js'
import type { WorkItem } from '../../contracts/reports.js'
import type {
  RecordedRequest,
  RecordedStatement,
  RequestRecord,
} from '../../contracts/request-record.js'
import type { RouteExplanation } from '../explain/explanation.js'

/**
 * The key on `globalThis` of the {@link DevReport} of a process. Only `blazon dev` sets it, before the application is loaded. A
 * registered symbol is the same in every copy of this package in the process.
 */
const REPORT = Symbol.for('blazon.report')

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

/** An item of work, with the statements of its last run. */
export interface ReportedItem extends WorkItem {
  readonly statements: readonly RecordedStatement[]
}

/** The work that a plugin lists, and what it does with an item. Both may reject with the error of the plugin. */
export interface ReportedWork {
  readonly list: () => Promise<{ readonly title: string; readonly items: readonly ReportedItem[] }>
  readonly act: (action: string, id: string) => Promise<string>
}

/** Receives the data that the dashboard of `blazon dev` shows about the applications of a process. */
export interface DevReport {
  /** Called when an application has started. `explain` loads the code that explains its routes. */
  readonly started: (explain: () => Promise<readonly RouteExplanation[]>) => void
  /** Called at the start, for each plugin that lists work. */
  readonly work: (work: ReportedWork) => void
  /** Called for each request that is over. */
  readonly take: (whole: WholeRecord) => void
  /** Returns the line of the program in a stack: `src/orders.ts:41:12`; `null` if it has none. */
  readonly placeIn: (stack: string) => string | null
}

/** Returns the report of this process; `undefined` outside of `blazon dev`. */
export function findDevReport(): DevReport | undefined {
  return (globalThis as { [REPORT]?: DevReport })[REPORT]
}
