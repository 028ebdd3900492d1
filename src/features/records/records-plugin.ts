import type { EndedRequest, RequestObserver } from '../../contracts/ended-request.js'
import type { Request } from '../../contracts/handler.js'
import type { Logger } from '../../contracts/logger.js'
import type { Plugin, RequestSecretTexts } from '../../contracts/plugin.js'
import type { RequestRecord } from '../../contracts/request-record.js'
import { Recorder } from './recorder.js'
import { keepRecord, RequestRecords } from './request-records.js'

/** The `records` option, resolved. */
export interface RecordsSettings {
  readonly keep: number
  readonly log: boolean
}

/** Takes the records of all requests of an application. */
export interface RecordTaker {
  /** Returns the line of the program in a stack: `src/orders.ts:41:12`; `null` if it has none. */
  readonly placeIn: (stack: string) => string | null
  /** Called for each step of a request, before the code of the step runs. */
  readonly follow: (req: Request) => void
  /** Called for each request that is over. */
  readonly take: (record: RequestRecord, ended: EndedRequest, secrets: RequestSecretTexts) => void
}

/** Where the records of an application go. */
export interface RecordTargets {
  /** The option `records`; `null` without it. */
  readonly settings: RecordsSettings | null
  /** Takes the record of each request; `undefined` outside of `blazon dev`. */
  readonly taker: RecordTaker | undefined
}

/** Records the requests of an application that is not under test. */
export function recordsPlugin({ settings, taker }: RecordTargets): Plugin {
  let keep: ((record: RequestRecord) => void) | undefined
  const recorder = new Recorder({
    placeIn: taker?.placeIn ?? null,
    onEnd(draft, ended) {
      const isKept = keep !== undefined && hasFailed(ended)
      if (taker === undefined && !isKept) return
      const record = recorder.write(draft)
      taker?.take(record, ended, recorder.secretsOf(draft))
      if (isKept) keep?.(record)
    },
  })
  const { plugin } = recorder
  return {
    ...plugin,
    requests(app) {
      if (settings !== null) keep = keeperOf(settings, app.get(RequestRecords), app.logger)
      const observer = plugin.requests?.(app)
      return observer && taker ? following(observer, taker) : observer
    },
  }
}

function following(observer: RequestObserver, { follow }: RecordTaker): RequestObserver {
  return {
    ...observer,
    onStep(req, step) {
      follow(req)
      observer.onStep?.(req, step)
    },
  }
}

function keeperOf({ keep, log }: RecordsSettings, records: RequestRecords, logger: Logger) {
  return (record: RequestRecord) => {
    keepRecord(records, record, keep)
    if (log) logger.error({ record }, 'Why the request was answered so')
  }
}

/** Whether the server has failed: a client that has left is no failure. */
function hasFailed({ status, outcome }: EndedRequest): boolean {
  return outcome === 'timeout' || (status !== null && status >= 500)
}
