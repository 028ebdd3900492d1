import type { RecordTaker } from '../../features/records/records-plugin.js'
import { ResponseComparison } from '../contract/compare-responses.js'
import type { DescribedRoutes } from '../contract/documented-by-route.js'
import type { RecordSink } from './record-sink.js'
import { requestSent } from './request-sent.js'
import { withoutSecrets } from './without-secrets.js'

/**
 * Passes the records of an application to `blazon dev`, with the request that the client has sent, and with the differences
 * between the response and the document.
 */
export function reportRecords(sink: RecordSink, described: () => DescribedRoutes): RecordTaker {
  const responses = new ResponseComparison(described)
  return {
    placeIn: sink.placeIn,
    follow: (req) => responses.follow(req),
    take(record, ended, secrets) {
      const { req } = ended
      if (req === null) return
      const sent = requestSent(req, secrets)
      const mismatches = withoutSecrets(responses.mismatchesOf(ended), secrets)
      sink.take({ record, sent, mismatches })
    },
  }
}
