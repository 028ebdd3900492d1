import { replayCommand } from './capsule-command.js'
import { curlText } from './curl-text.js'
import { hiddenValues } from './hidden-values.js'
import { findSuspects } from './suspects.js'
import { type CopiedTestStyle, testText } from './test-text.js'
import { timelineOf } from './timeline.js'
import type {
  AppView,
  CapsuleView,
  ProblemsView,
  ReportedRequest,
  RequestRow,
  RequestView,
  RoutesView,
  SeenMismatch,
  SnapshotView,
  StateView,
  SuspectView,
} from './views.js'

/** How many requests are kept. */
export const KEPT_REQUESTS = 200

/** What has changed; the name is that of the event in the stream. */
export type Change =
  | { readonly name: 'request'; readonly data: RequestRow }
  | { readonly name: 'state'; readonly data: StateView }
  | { readonly name: 'problems'; readonly data: ProblemsView }
  /** The routes may be others: the page reads them again, if it shows them. */
  | { readonly name: 'routes'; readonly data: null }

interface Kept {
  readonly row: RequestRow
  readonly request: ReportedRequest
  readonly suspects: readonly SuspectView[]
  /** The number of the start of the application that served it. */
  readonly start: number
}

/** The last requests, and what is known of the application. */
export class Journal {
  readonly #kept: Kept[] = []
  readonly #listeners = new Set<(change: Change) => void>()
  #app: AppView = { routes: [], warnings: [] }
  #state: StateView = { phase: 'starting', failure: null, starts: 0 }
  #count = 0
  readonly #testStyle: () => CopiedTestStyle | undefined

  /** The style that was read last, and the number of the start after which it was read. */
  #readStyle: { readonly start: number; readonly style: CopiedTestStyle | undefined } | undefined

  /** @param testStyle Reads how tests of the project are written, for copies. */
  constructor(testStyle: () => CopiedTestStyle | undefined = () => undefined) {
    this.#testStyle = testStyle
  }

  /** Calls a function at each change, until the returned function is called. */
  watch(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #tell(change: Change): void {
    for (const listener of [...this.#listeners]) listener(change)
  }

  /** Adds a request. The oldest one is forgotten, if there are too many. */
  add(request: ReportedRequest): void {
    const { record, mismatches } = request
    const suspects = findSuspects(record.statements)
    const row: RequestRow = {
      number: ++this.#count,
      startedAt: record.startedAt,
      method: record.method,
      url: record.url,
      status: record.status,
      outcome: record.outcome ?? 'sent',
      durationMs: record.durationMs,
      tenant: record.tenant,
      statementCount: record.statementCount,
      suspectCount: suspects.length,
      mismatchCount: mismatches.length,
      error: errorOf(record),
    }
    this.#kept.push({ row, request, suspects, start: this.#state.starts })
    if (this.#kept.length > KEPT_REQUESTS) this.#kept.shift()
    this.#tell({ name: 'request', data: row })
    if (suspects.length + mismatches.length > 0) this.#tellProblems()
  }

  /** The application has changed its phase. */
  setPhase(phase: StateView['phase'], failure: StateView['failure'] = null): void {
    const { starts } = this.#state
    this.#state = { phase, failure, starts: phase === 'serving' ? starts + 1 : starts }
    this.#tell({ name: 'state', data: this.#state })
  }

  /** The applications of the process that serves now. */
  setApp(app: AppView): void {
    this.#app = app
    this.#tell({ name: 'routes', data: null })
    this.#tellProblems()
  }

  #tellProblems(): void {
    this.#tell({ name: 'problems', data: this.#problems() })
  }

  get snapshot(): SnapshotView {
    return {
      state: this.#state,
      requests: this.#kept.map(({ row }) => row),
      problems: this.#problems(),
      limit: KEPT_REQUESTS,
    }
  }

  get routes(): RoutesView {
    return { routes: this.#app.routes }
  }

  /** What may be wrong, of the code that serves now: a mistake that is corrected is gone. */
  #problems(): ProblemsView {
    const kept = this.#kept.filter(({ start }) => start === this.#state.starts)
    const suspects = new Map<string, ProblemsView['suspects'][number]>()
    const mismatches = new Map<string, SeenMismatch>()
    for (const { row, request, suspects: found } of kept) {
      const { route } = request.record
      const name = route === null ? `${row.method} ${row.url}` : `${route.method} ${route.path}`
      for (const suspect of found) {
        suspects.set(`${name} ${suspect.text}`, { ...suspect, route: name, request: row.number })
      }
      for (const mismatch of request.mismatches) {
        const { operation, status, path, expected } = mismatch
        const key = [operation, status, path, expected].join(' ')
        const count = (mismatches.get(key)?.count ?? 0) + 1
        mismatches.set(key, { ...mismatch, request: row.number, count })
      }
    }
    return {
      warnings: this.#app.warnings,
      mismatches: [...mismatches.values()],
      suspects: [...suspects.values()],
    }
  }

  /** The request with a number, as the application reported it. */
  reported(number: number): ReportedRequest | undefined {
    return this.#kept.find(({ row }) => row.number === number)?.request
  }

  /**
   * Everything about the request with a number.
   *
   * @param origin Where the application listens: `http://127.0.0.1:3000`.
   */
  view(number: number, origin: string): RequestView | undefined {
    const kept = this.#kept.find(({ row }) => row.number === number)
    if (kept === undefined) return undefined
    const { row, request, suspects } = kept
    const { record, sent, mismatches } = request
    return {
      row,
      record,
      sent,
      timeline: timelineOf(record),
      suspects,
      mismatches,
      route: this.#routeOf(request),
      curl: curlText(request, origin),
      test: testText(request, this.#styleOfTests()),
      cannotReplay: whyNoReplay(request),
      hidden: hiddenValues(request),
      capsule: capsuleOf(request),
    }
  }

  /** Reading takes a moment in a large project, so it is done once after each start of the application. */
  #styleOfTests(): CopiedTestStyle | undefined {
    const start = this.#state.starts
    if (this.#readStyle?.start !== start) this.#readStyle = { start, style: this.#testStyle() }
    return this.#readStyle.style
  }

  #routeOf({ record: { route } }: ReportedRequest): number | null {
    if (route === null) return null
    const index = this.routes.routes.findIndex(
      ({ method, path }) => method === route.method && path === route.path,
    )
    return index < 0 ? null : index
  }
}

/** The class of a mistake in the application, else the code that the client got. */
function errorOf({ error }: ReportedRequest['record']): string | null {
  if (error === null) return null
  return error.status >= 500 ? error.name : error.code
}

function capsuleOf({ capsule }: ReportedRequest): CapsuleView | null {
  if (capsule === null) return null
  const replay = replayCommand(capsule)
  return { id: capsule.id, replay, write: `${replay} --write` }
}

function whyNoReplay({ record: { url, cause }, sent }: ReportedRequest): string | null {
  if (!url.startsWith('/')) return 'Its target is not a path.'
  if (cause === 'upgrade') return 'It was an upgrade of the connection.'
  return sent.omitted
}
