import type { RequestRecord } from '../../contracts/request-record.js'

/**
 * The key on `globalThis` of the function that gets the record of each request. An application asks for it when it starts;
 * only `blazon dev` sets it, before the application is loaded.
 */
const SINK = Symbol.for('blazon.records')

/** Takes the record of a request that is over. */
export type RecordSink = (record: RequestRecord) => void

/** Returns the function that gets the records of this process; `undefined` outside of `blazon dev`. */
export function recordSink(): RecordSink | undefined {
  return (globalThis as { [SINK]?: RecordSink })[SINK]
}
