import type { RecordedStatement } from '../../../contracts/request-record.js'
import { curlText, replayCommand } from './copied-commands.js'
import { timelineOf } from './timeline.js'
import type {
  ReportedRequest,
  RequestRow,
  RequestView,
  RoutesView,
  SnapshotView,
  StateView,
  SuspectView,
} from './views.js'

/**
 * How often a request must run a statement so that the statement is reported. Development databases contain few rows,
 * so a loop repeats its statement only a few times.
 */
const LEAST_REPETITIONS = 4
/** Matches statements for transactions and sessions, which do not come from a loop over rows. */
const CONTROL = /^\s*(?:begin|start|commit|rollback|savepoint|release|set|reset|discard)\b/i

/** Finds N+1 queries: statements that one request repeated and that a single statement could replace. */
export function findSuspects(statements: readonly RecordedStatement[]): SuspectView[] {
  const byText = new Map<string, RecordedStatement[]>()
  for (const statement of statements) {
    const { text } = statement
    if (!CONTROL.test(text)) byText.set(text, [...(byText.get(text) ?? []), statement])
  }
  return [...byText]
    .filter(([, runs]) => runs.length >= LEAST_REPETITIONS)
    .map(([text, runs]) => ({
      text,
      count: runs.length,
      places: [...new Set(runs.flatMap(({ place }) => place ?? []))],
      durationMs: runs.reduce((sum, { durationMs }) => sum + durationMs, 0),
    }))
}

/** The maximum number of stored requests. */
export const KEPT_REQUESTS = 200

/** A change for the page. `name` is the event name in the stream. */
export type Change =
  | { readonly name: 'request'; readonly data: RequestRow }
  | { readonly name: 'state'; readonly data: StateView }

interface JournalEntry {
  readonly row: RequestRow
  readonly request: ReportedRequest
}

/** The most recent requests, and the state of the application. */
export class Journal {
  /** The routes of the process that is currently serving. */
  routes: RoutesView = []
  readonly #kept: JournalEntry[] = []
  readonly #listeners = new Set<(change: Change) => void>()
  #state: StateView = { phase: 'starting', failure: null }
  #count = 0

  /** Calls a function at each change until the returned function is called. */
  watch(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #tell(change: Change): void {
    for (const listener of [...this.#listeners]) listener(change)
  }

  /** Adds a request. Removes the oldest request if there are too many. */
  add(request: ReportedRequest): void {
    const row = rowOf(request, ++this.#count)
    this.#kept.push({ row, request })
    if (this.#kept.length > KEPT_REQUESTS) this.#kept.shift()
    this.#tell({ name: 'request', data: row })
  }

  /** Sets the phase of the application. */
  setState(phase: StateView['phase'], failure: StateView['failure'] = null): void {
    this.#state = { phase, failure }
    this.#tell({ name: 'state', data: this.#state })
  }

  get snapshot(): SnapshotView {
    const requests = this.#kept.map(({ row }) => row)
    return { state: this.#state, requests, limit: KEPT_REQUESTS }
  }

  /**
   * Returns all data about the request with this number.
   *
   * @param origin The origin at which the application listens, such as `http://localhost:3000`.
   */
  view(number: number, origin: string): RequestView | undefined {
    const kept = this.#kept.find(({ row }) => row.number === number)
    if (kept === undefined) return undefined
    const { row, request } = kept
    const { record, capsule } = request
    const route = this.routes.findIndex(
      ({ method, path }) => method === record.route?.method && path === record.route.path,
    )
    return {
      ...request,
      row,
      timeline: timelineOf(record),
      suspects: findSuspects(record.statements),
      route: route < 0 ? null : route,
      curl: curlText(request, origin),
      replay: capsule === null ? null : replayCommand(capsule),
    }
  }
}

function rowOf({ record, mismatches }: ReportedRequest, number: number): RequestRow {
  const { startedAt, method, url, status, durationMs, tenant, error, outcome } = record
  const notes = [
    // For a server error, the class of the error; for other errors, the code that the client received.
    ...(error === null ? [] : [error.status >= 500 ? error.name : error.code]),
    ...(findSuspects(record.statements).length === 0 ? [] : ['N+1?']),
    ...(mismatches.length === 0 ? [] : ['contract']),
    ...(outcome === null || outcome === 'sent' ? [] : [outcome]),
  ]
  const statements = record.statementCount
  return { number, startedAt, method, url, status, durationMs, tenant, statements, notes }
}
