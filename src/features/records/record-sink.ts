import type { RecordedRequest } from '../../contracts/recorded-request.js'
import type { RequestRecord } from '../../contracts/request-record.js'

/**
 * The key on `globalThis` of the function that gets the record of each request. An application asks for it when it starts;
 * only `blazon dev` sets it, before the application is loaded.
 */
const SINK = Symbol.for('blazon.records')

/** Takes the record of a request that is over, and the request that the client has sent. */
export type RecordSink = (record: RequestRecord, sent: RecordedRequest) => void

/** Returns the function that gets the records of this process; `undefined` outside of `blazon dev`. */
export function recordSink(): RecordSink | undefined {
  return (globalThis as { [SINK]?: RecordSink })[SINK]
}
