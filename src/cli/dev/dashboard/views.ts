import type { WholeRecord } from '../../../app/dev/dev-report.js'
import type { RouteExplanation } from '../../../app/explain/explanation.js'
import type { RequestRecord } from '../../../contracts/request-record.js'
import type { WorkList } from '../protocol.js'

/** A request, as reported by the application's process. */
export type ReportedRequest = WholeRecord

/** A request in the list. */
export interface RequestRow
  extends Pick<RequestRecord, 'startedAt' | 'method' | 'url' | 'status' | 'durationMs' | 'tenant'> {
  /** The number of the request, counted from 1 in each run of the command. */
  readonly number: number
  /** The number of statements that the request ran. */
  readonly statements: number
  /** Labels for the error in the response, an end without a response, and possible problems. */
  readonly notes: readonly string[]
}

/** The tone of an entry: the style that the page uses for it. */
export type Tone = 'plain' | 'good' | 'warn' | 'bad'

/** The kinds of timeline entries. */
export type EntryKind = 'step' | 'decision' | 'statement' | 'call' | 'log' | 'error' | 'end'

/** An entry in the timeline of a request. */
export interface TimelineEntry {
  /** The time since the start of the request, in milliseconds. */
  readonly at: number
  /** The duration; `null` for a single point in time. */
  readonly durationMs: number | null
  readonly kind: EntryKind
  readonly title: string
  /** Additional lines. */
  readonly details: readonly string[]
  /** Code, such as a statement; `null` if there is none. */
  readonly code: string | null
  readonly tone: Tone
}

/** A statement that ran several times in one request. */
export interface SuspectView {
  readonly text: string
  readonly count: number
  /** The lines in the application that ran the statement. */
  readonly places: readonly string[]
  readonly durationMs: number
}

/** All data about a request. */
export interface RequestView extends ReportedRequest {
  readonly row: RequestRow
  readonly timeline: readonly TimelineEntry[]
  readonly suspects: readonly SuspectView[]
  /** The index of the route in the list; `null` if the request has no route, or the route no longer exists. */
  readonly route: number | null
  readonly curl: string
  /**
   * The command that replays a failed request, such as `npx blazon replay 20261126-093000-a1b2c3`; `null` for other
   * requests.
   */
  readonly replay: string | null
}

/** The state of the application. */
export interface StateView {
  readonly phase: 'starting' | 'serving' | 'failed'
  /** The reason why the application did not start or has ended, as a sentence; `null` in other phases. */
  readonly failure: string | null
}

/** The first event of the stream. */
export interface SnapshotView {
  readonly state: StateView
  /** The requests, oldest first. */
  readonly requests: readonly RequestRow[]
  /** The maximum number of stored requests. */
  readonly limit: number
}

/** The work that a process's plugins list. */
export type WorkView = readonly WorkList[]

/** The routes of all applications in a process. */
export type RoutesView = readonly RouteExplanation[]
