import type { WholeRecord } from '../../../app/dev/record-sink.js'
import type { RouteExplanation } from '../../../app/explain/explanation.js'
import type { ContractViolation } from '../../../contracts/contract-violation.js'
import type { RecordedRequest } from '../../../contracts/recorded-request.js'
import type { RequestRecord } from '../../../contracts/request-record.js'

/** A problem of boot, as `Problem`: its code, its place, the cause and the remedy. */
export interface ProblemView {
  readonly code: string
  readonly subject: string
  readonly cause: string
  readonly remedy: string
}

/** What the applications of a process say about themselves. */
export interface AppView {
  readonly routes: readonly RouteExplanation[]
  readonly warnings: readonly ProblemView[]
}

/** A request, as the process of the application reports it. */
export type ReportedRequest = WholeRecord

/** A request in the list. */
export interface RequestRow {
  /** Counted from 1 in each run of the command. */
  readonly number: number
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly method: string
  readonly url: string
  /** The status, or how it ended without one. */
  readonly status: number | null
  readonly outcome: string
  readonly durationMs: number
  readonly tenant: string | null
  readonly statementCount: number
  readonly suspectCount: number
  readonly mismatchCount: number
  /** The class or the code of the error that became the response; `null` without one. */
  readonly error: string | null
}

/** The tone of an entry: how the page marks it. */
export type Tone = 'plain' | 'good' | 'warn' | 'bad'

/** The kinds of entries of a time line. */
export type EntryKind = 'step' | 'decision' | 'statement' | 'log' | 'error' | 'end'

/** An entry of the time line of a request. */
export interface TimelineEntry {
  /** Milliseconds since the start of the request. */
  readonly at: number
  /** `null` for a moment. */
  readonly durationMs: number | null
  readonly kind: EntryKind
  readonly title: string
  /** Lines about it. */
  readonly details: readonly string[]
  /** Code, such as a statement; `null` without any. */
  readonly code: string | null
  readonly tone: Tone
}

/** The same statement, several times in one request. */
export interface SuspectView {
  readonly text: string
  readonly count: number
  /** The lines of the application's code that ran it. */
  readonly places: readonly string[]
  readonly durationMs: number
}

/** A place of a request whose value is hidden, and needed to send the request again. */
export interface HiddenValue {
  /** `header authorization`, `query token`, `body.password`. */
  readonly key: string
  readonly label: string
}

/** Everything about a request. */
export interface RequestView {
  readonly row: RequestRow
  readonly record: RequestRecord
  readonly sent: RecordedRequest
  readonly timeline: readonly TimelineEntry[]
  readonly suspects: readonly SuspectView[]
  readonly mismatches: readonly ContractViolation[]
  /** The number of the route in the list of routes; `null` if it is not there any more. */
  readonly route: number | null
  readonly curl: string
  readonly test: string
  /** Why the request cannot be sent again, as a sentence; `null` if it can. */
  readonly cannotReplay: string | null
  readonly hidden: readonly HiddenValue[]
  /** The file that was written of a failed request; `null` if none was. */
  readonly capsule: CapsuleView | null
}

/** The capsule of a failed request. */
export interface CapsuleView {
  readonly id: string
  /** The command that runs it: `npx blazon replay 20261126-093000-a1b2c3`. */
  readonly replay: string
  /** The command that makes a test of it. */
  readonly write: string
}

/** The state of the application. */
export interface StateView {
  readonly phase: 'starting' | 'serving' | 'failed'
  /** Why no process starts; `null` in other phases. */
  readonly failure: FailureView | null
  /** How often the application has started. */
  readonly starts: number
}

/** Why a process did not start, or ended. */
export interface FailureView {
  readonly title: string
  readonly details: string
  /** Whether the process before it serves requests, with the code from before the last change. */
  readonly isServed: boolean
}

/** A difference between responses and the document, with the last request that showed it. */
export interface SeenMismatch extends ContractViolation {
  readonly request: number
  readonly count: number
}

/** What may be wrong with the application. */
export interface ProblemsView {
  readonly warnings: readonly ProblemView[]
  readonly mismatches: readonly SeenMismatch[]
  readonly suspects: readonly (SuspectView & { readonly request: number; readonly route: string })[]
}

/** The first event of the stream. */
export interface SnapshotView {
  readonly state: StateView
  /** The oldest first. */
  readonly requests: readonly RequestRow[]
  readonly problems: ProblemsView
  /** How many requests are kept. */
  readonly limit: number
}

/** The routes of all applications of the process. */
export interface RoutesView {
  readonly routes: readonly RouteExplanation[]
}

/** What a replay sends in place of hidden values, by their keys. A header that is left out is not sent. */
export interface ReplayOrder {
  readonly values: { readonly [key: string]: string }
}

/** The response to a replay. */
export interface ReplayResult {
  readonly status: number
  /** The number of the new request in the list; `null` if it has not arrived. */
  readonly request: number | null
}
