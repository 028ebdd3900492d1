import type { RanStatement } from '../../contracts/database.js'
import type { Request } from '../../contracts/handler.js'
import type { Logger } from '../../contracts/logger.js'
import type { EndedRequest, RequestObserver } from '../../contracts/observers.js'
import type { RanCall } from '../../contracts/outgoing-call.js'
import type { ObserverSetup, Plugin, RequestSecretTexts } from '../../contracts/plugin.js'
import type { RequestRecord } from '../../contracts/request-record.js'
import { Clock } from '../../di/token.js'
import { Draft } from './draft.js'
import { recordOf } from './record-of.js'
import { keepRecord, RequestRecords } from './request-records.js'

/** The settings for the records that an application stores in memory, from the `records` option. */
export interface RecordsSettings {
  readonly keep: number
  readonly log: boolean
}

/** An ended request, with its record. */
export interface TakenRequest {
  readonly record: RequestRecord
  readonly ended: EndedRequest
  /** Returns the functions that hide the secrets of a request, including the secrets of its current body. */
  readonly secretsOf: (req: Request) => RequestSecretTexts
  /** The statements, in the order in which they ended. */
  readonly statements: readonly RanStatement[]
  /** The calls, in the order in which they ended. */
  readonly calls: readonly RanCall[]
  /** Whether the request failed on the server. */
  readonly hasFailed: boolean
}

/** Receives the records of an application's requests. */
export interface RecordTaker {
  /**
   * Returns the application's line in a stack, such as `src/orders.ts:41:12`; `null` if the stack contains no such
   * line. The property itself is `null` if stacks are not needed.
   */
  readonly placeIn: ((stack: string) => string | null) | null
  /** Whether the receiver needs the bodies of calls to other hosts. */
  readonly needsBodies: boolean
  /** Whether the receiver takes all requests, or only requests that failed on the server. */
  readonly takesAll: boolean
  /** Starts the receiver. The plugin calls this before the first request. */
  readonly start: (logger: Logger) => void
  /** Receives each request before any other code handles it. */
  readonly follow: (req: Request) => void
  /** Returns the part of a statement that is stored. */
  readonly keep: (statement: RanStatement) => RanStatement
  /** Receives each ended request; if `takesAll` is `false`, only requests that failed on the server. */
  readonly take: (taken: TakenRequest) => void
  /** Resolves when all started work has finished. */
  readonly close: () => Promise<void>
}

/** The destinations of an application's records. */
export interface RecordTargets {
  /** The `records` option; `null` if it is not set. */
  readonly settings: RecordsSettings | null
  /** Receives records for `blazon dev` and for capsules; `undefined` if neither is used. */
  readonly taker: RecordTaker | undefined
}

/** Creates the plugin that records the requests of an application outside tests. */
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
    if (log) logger.error({ record }, 'How the request was handled')
  }
}

/**
 * Whether a request failed on the server. A request whose client disconnected has not failed. An intended response is
 * not a failure either, for example a refusal because of the `capacity` option, or a health check that reports a
 * problem. Many such responses would leave no room for the records of real failures.
 */
function hasFailed({ status, outcome, isQuiet }: EndedRequest, { decisions }: Draft): boolean {
  if (outcome === 'timeout') return true
  if (status === null || status < 500) return false
  const error = decisions.findLast(({ value }) => value.by === 'error')?.value
  return error === undefined ? !isQuiet : error.facts?.['isMeant'] !== true
}

/** Dependencies of a recorder. */
export interface RecorderConfig {
  /** Receives each ended request. */
  readonly onEnd: (draft: Draft, ended: EndedRequest) => void
  /** Returns the application's line in a stack. The property is `null` if statements need no stacks. */
  readonly placeIn: ((stack: string) => string | null) | null
}

/** The dependencies of a recorder that exist once the application has started. */
interface Started {
  readonly clock: Clock
  readonly secretsOf: ObserverSetup['secretsOf']
}

/** Records the reasons for responses. Each application has its own recorder. */
export class Recorder {
  readonly #drafts = new WeakMap<object, Draft>()
  readonly #config: RecorderConfig
  #started: Started | undefined

  constructor(config: RecorderConfig) {
    this.#config = config
  }

  /** The plugin that observes the requests. */
  readonly plugin: Plugin = {
    name: 'records',
    requests: ({ get, secretsOf }) => {
      this.#started = { clock: get(Clock), secretsOf }
      return {
        onStep: (req, step) => this.#open(req)?.noteStep(step, this.#now()),
        onDecision: (req, decision) => this.#open(req)?.noteDecision(decision, this.#now()),
        onStatement: (statement) => {
          const { req } = statement
          if (req !== undefined) this.#open(req)?.noteStatement(statement)
        },
        onCall: (call) => (result) => {
          // The call is not spread, because reading `stack` would create the stack.
          const ran = Object.assign(Object.create(call), result) as RanCall
          if (call.req !== undefined) this.#open(call.req)?.noteCall(ran)
        },
        needsStacks: this.#config.placeIn !== null,
        onEnd: (ended) => this.#end(ended),
      }
    },
  }

  /** Returns the record of a request so far; `undefined` if the application has not received the request. */
  recordOf(req: Request): RequestRecord | undefined {
    const draft = this.#drafts.get(req)
    return draft === undefined ? undefined : this.write(draft)
  }

  /** Returns the draft of a request; `undefined` if the application has not received the request. */
  draftOf(req: Request): Draft | undefined {
    return this.#drafts.get(req)
  }

  /** Returns the draft of a request, and creates it for the first event; `undefined` if the request has ended. */
  #open(req: Request): Draft | undefined {
    const known = this.#drafts.get(req)
    if (known !== undefined) return known.ended === undefined ? known : undefined
    const made = new Draft(req, this.#now())
    this.#drafts.set(req, made)
    return made
  }

  #end(ended: EndedRequest): void {
    const { req } = ended
    // Node's parser rejected the data, so there is no request to record.
    if (req === null) return
    const draft = this.#open(req)
    if (draft === undefined) return
    draft.finish(ended, this.#now())
    this.#config.onEnd(draft, ended)
  }

  /**
   * Builds the record of a request. This takes longer than collecting the data, so a record is built only when it is
   * needed.
   */
  write(draft: Draft): RequestRecord {
    const { clock, secretsOf } = this.#started as Started
    const { placeIn } = this.#config
    return recordOf(draft, { clock, secrets: secretsOf(draft.req), placeIn })
  }

  /** Returns the functions that hide the secrets of a request, including the secrets of its current body. */
  readonly secretsOf = (req: Request): RequestSecretTexts =>
    (this.#started as Started).secretsOf(req)

  #now(): number {
    return (this.#started as Started).clock.monotonic()
  }
}
