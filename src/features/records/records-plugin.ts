import type { RanStatement } from '../../contracts/database.js'
import type { Request } from '../../contracts/handler.js'
import type { Logger } from '../../contracts/logger.js'
import type { EndedRequest, RequestObserver } from '../../contracts/observers.js'
import type { RanCall } from '../../contracts/outgoing-call.js'
import type { Plugin, RequestSecretTexts } from '../../contracts/plugin.js'
import type { RequestRecord } from '../../contracts/request-record.js'
import type { Draft } from './draft.js'
import { Recorder } from './recorder.js'
import { keepRecord, RequestRecords } from './request-records.js'

/** The records that an application keeps in its memory, from the option `records`. */
export interface RecordsSettings {
  readonly keep: number
  readonly log: boolean
}

/** A request that is over, with its record. */
export interface TakenRequest {
  readonly record: RequestRecord
  readonly ended: EndedRequest
  /** Returns the functions that hide the secrets of a request, of its body as it is now. */
  readonly secretsOf: (req: Request) => RequestSecretTexts
  /** In the order in which they have ended. */
  readonly statements: readonly RanStatement[]
  /** In the order in which they have ended. */
  readonly calls: readonly RanCall[]
  /** Whether the server has failed. */
  readonly hasFailed: boolean
}

/** Takes the records of requests of an application. */
export interface RecordTaker {
  /** Returns the line of the program in a stack: `src/orders.ts:41:12`; `null` if it has none. `null`: no stacks are needed. */
  readonly placeIn: ((stack: string) => string | null) | null
  /** Whether it reads the bodies of calls to other hosts. */
  readonly needsBodies: boolean
  /** Whether it takes all requests, or only requests that the server has failed. */
  readonly takesAll: boolean
  /** Called before the first request. */
  readonly start: (logger: Logger) => void
  /** Called with each request before anything else. */
  readonly follow: (req: Request) => void
  /** Returns the part of a statement that is kept. */
  readonly keep: (statement: RanStatement) => RanStatement
  /** Called for each request that is over. */
  readonly take: (taken: TakenRequest) => void
  /** Resolves when everything is done that was begun. */
  readonly close: () => Promise<void>
}

/** Where the records of an application go. */
export interface RecordTargets {
  /** The option `records`; `null` without it. */
  readonly settings: RecordsSettings | null
  /** Takes records for `blazon dev`, and for capsules; `undefined` without both. */
  readonly taker: RecordTaker | undefined
}

/** Records the requests of an application that is not under test. */
export function recordsPlugin({ settings, taker }: RecordTargets): Plugin {
  let keep: ((record: RequestRecord) => void) | undefined
  const recorder = new Recorder({
    placeIn: taker?.placeIn ?? null,
    onEnd(draft, ended) {
      const failed = hasFailed(ended, draft)
      const isTaken = taker !== undefined && (taker.takesAll || failed)
      const isKept = keep !== undefined && failed
      if (!isTaken && !isKept) return
      const record = recorder.write(draft)
      if (isKept) keep?.(record)
      if (!isTaken) return
      const { secretsOf } = recorder
      const { statements, calls } = draft
      taker.take({ record, ended, secretsOf, statements, calls, hasFailed: failed })
    },
  })
  const { plugin } = recorder
  return {
    ...plugin,
    requests(app) {
      if (settings !== null) keep = keeperOf(settings, app.get(RequestRecords), app.logger)
      taker?.start(app.logger)
      const observer = plugin.requests?.(app)
      return observer && taker ? following(observer, taker) : observer
    },
    onClose: () => taker?.close(),
  }
}

function following(observer: RequestObserver, taker: RecordTaker): RequestObserver {
  return {
    ...observer,
    needsBodies: taker.needsBodies,
    around(req, next) {
      taker.follow(req)
      next()
    },
    onStatement: (statement) => observer.onStatement?.(taker.keep(statement)),
  }
}

function keeperOf({ keep, log }: RecordsSettings, records: RequestRecords, logger: Logger) {
  return (record: RequestRecord) => {
    keepRecord(records, record, keep)
    if (log) logger.error({ record }, 'Why the request was answered so')
  }
}

/**
 * Whether the server has failed. A client that has left is not a failure, nor is a response that the application means: a refusal
 * over the capacity, a health check that reports a problem. A burst of them would leave no room for real failures.
 */
function hasFailed({ status, outcome, isQuiet }: EndedRequest, { decisions }: Draft): boolean {
  if (outcome === 'timeout') return true
  if (status === null || status < 500) return false
  const error = decisions.findLast(({ value }) => value.by === 'error')?.value
  return error === undefined ? !isQuiet : error.facts?.['isMeant'] !== true
}
