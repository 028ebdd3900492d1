import type { EndedRequest, RequestObserver } from '../../contracts/ended-request.js'
import type { Logger } from '../../contracts/logger.js'
import type { Plugin } from '../../contracts/plugin.js'
import type { RequestRecord } from '../../contracts/request-record.js'
import type { RecordSink } from './record-sink.js'
import { Recorder } from './recorder.js'
import { keepRecord, RequestRecords } from './request-records.js'
import { requestSent } from './request-sent.js'
import type { ResponseWatch } from './response-watch.js'
import { withoutSecrets } from './without-secrets.js'

/** The `records` option, resolved. */
export interface RecordsSettings {
  readonly keep: number
  readonly log: boolean
}

/** Where the records of an application go. */
export interface RecordTargets {
  /** The option `records`; `null` without it. */
  readonly settings: RecordsSettings | null
  /** Takes the record of each request; `undefined` outside of `blazon dev`. */
  readonly sink: RecordSink | undefined
  /** Compares the responses with the document. Default: nothing does. */
  readonly responses?: ResponseWatch | undefined
}

/** Records the requests of an application that is not under test. */
export function recordsPlugin({ settings, sink, responses }: RecordTargets): Plugin {
  let keep: ((record: RequestRecord) => void) | undefined
  const recorder = new Recorder({
    placeIn: sink?.placeIn ?? null,
    onEnd(draft, ended) {
      const isKept = keep !== undefined && hasFailed(ended)
      if (sink === undefined && !isKept) return
      const record = recorder.write(draft)
      const secrets = recorder.secretsOf(draft)
      sink?.take({
        record,
        sent: requestSent(draft.req, secrets),
        mismatches: withoutSecrets(responses?.mismatchesOf(ended) ?? [], secrets),
      })
      if (isKept) keep?.(record)
    },
  })
  const { plugin } = recorder
  return {
    ...plugin,
    requests(app) {
      if (settings !== null) keep = keeperOf(settings, app.get(RequestRecords), app.logger)
      const observer = plugin.requests?.(app)
      return observer && responses ? following(observer, responses) : observer
    },
  }
}

/** Follows the response to each request from its first step on, before code of the route can send anything. */
function following(observer: RequestObserver, responses: ResponseWatch): RequestObserver {
  return {
    ...observer,
    onStep(req, step) {
      responses.follow(req)
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
