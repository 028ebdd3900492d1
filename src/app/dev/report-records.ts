import type { CapsuleWriter } from '../../features/capsules/capsule-writer.js'
import { requestSent } from '../../features/capsules/request-sent.js'
import type { RecordTaker } from '../../features/records/records-plugin.js'
import { ResponseComparison } from '../contract/compare-responses.js'
import type { DescribedRoutes } from '../contract/documented-by-route.js'
import { takeCapsules } from '../take-capsules.js'
import type { RecordSink } from './record-sink.js'
import { withoutSecrets } from './without-secrets.js'

/** What {@link reportRecords} needs of an application. */
export interface ReportConfig {
  readonly described: () => DescribedRoutes
  /** Writes the capsules of failed requests; `null` if none are written. */
  readonly capsules: CapsuleWriter | null
}

/**
 * Passes the records of an application to `blazon dev`, with the request that the client has sent, and with the differences
 * between the response and the document.
 */
export function reportRecords(
  sink: RecordSink,
  { described, capsules }: ReportConfig,
): RecordTaker {
  const responses = new ResponseComparison(described)
  const own = capsules === null ? null : takeCapsules(capsules)
  return {
    placeIn: sink.placeIn,
    takesAll: true,
    start: (logger) => own?.start(logger),
    follow(req) {
      responses.follow(req)
      own?.follow(req)
    },
    keep: own?.keep ?? ((statement) => statement),
    take(taken) {
      const { record, ended, secrets, hasFailed } = taken
      const { req } = ended
      if (req === null) return
      const id = hasFailed ? capsules?.write(taken) : undefined
      const capsule = id == null || capsules === null ? null : { id, folder: capsules.folder }
      const sent = requestSent(req, secrets)
      const mismatches = withoutSecrets(responses.mismatchesOf(ended), secrets)
      sink.take({ record, sent, mismatches, capsule })
    },
    close: async () => own?.close(),
  }
}
