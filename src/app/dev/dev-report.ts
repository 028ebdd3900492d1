import type { ContractViolation } from '../../contracts/contract-violation.js'
import type { WorkItem } from '../../contracts/reports.js'
import type {
  RecordedRequest,
  RecordedStatement,
  RequestRecord,
} from '../../contracts/request-record.js'
import type { RouteExplanation } from '../explain/explanation.js'

/**
 * The key on `globalThis` of the {@link DevReport} of a process. Only `blazon dev` sets it, before the application is
 * loaded. A registered symbol is the same in every copy of this package in the process.
 */
const REPORT = Symbol.for('blazon.report')

/** The location of a capsule. */
export interface WrittenCapsule {
  readonly id: string
  /** The folder, relative to the working directory of the application. */
  readonly folder: string
}

/** The record of an ended request. */
export interface WholeRecord {
  readonly record: RequestRecord
  readonly sent: RecordedRequest
  /** The differences between the response and the document; empty if there are none, or if there is no document. */
  readonly mismatches: readonly ContractViolation[]
  /** The capsule of a failed request; `null` if there is none. */
  readonly capsule: WrittenCapsule | null
}

/** An item of work, with the statements of its last run. */
export interface ReportedItem extends WorkItem {
  readonly statements: readonly RecordedStatement[]
}

/**
 * The work that a plugin lists, and the actions on its items. Both functions can reject with an error of the plugin.
 */
export interface ReportedWork {
  readonly list: () => Promise<{ readonly title: string; readonly items: readonly ReportedItem[] }>
  readonly act: (action: string, id: string) => Promise<string>
}

/** Receives the data that the dashboard of `blazon dev` shows about the applications of a process. */
export interface DevReport {
  /** Reports that an application has started. `explain` loads the module that explains its routes. */
  readonly started: (explain: () => Promise<readonly RouteExplanation[]>) => void
  /** Receives the work of a plugin. Called when the application starts, once for each plugin that lists work. */
  readonly work: (work: ReportedWork) => void
  /** Receives the record of each ended request. */
  readonly take: (whole: WholeRecord) => void
  /** Returns the application line in a stack trace: `src/orders.ts:41:12`; `null` if there is none. */
  readonly placeIn: (stack: string) => string | null
}

/** Returns the report of this process; `undefined` outside `blazon dev`. */
export function findDevReport(): DevReport | undefined {
  return (globalThis as { [REPORT]?: DevReport })[REPORT]
}
