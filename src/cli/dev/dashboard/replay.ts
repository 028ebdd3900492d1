import { request as sendRequest } from 'node:http'
import { ownHeaders } from './curl-text.js'
import { fillBody, fillHeaders, fillUrl } from './hidden-values.js'
import type { ReplayOrder, ReportedRequest } from './views.js'

/** The longest time that a replay waits for the head of the response. */
const LONGEST_MS = 30_000

/** The response to a replay, without its body. */
export interface Replayed {
  readonly status: number
  /** `X-Request-Id` of the response. */
  readonly id: string | null
}

/** Where the application listens. */
export interface AppAddress {
  readonly host: string
  readonly port: number
}

/**
 * Sends a request again to the application, and to no other place.
 *
 * @throws Error of Node if the application does not respond.
 */
export function replay(
  request: ReportedRequest,
  { values }: ReplayOrder,
  { host, port }: AppAddress,
): Promise<Replayed> {
  const { record, sent } = request
  const body = sent.body === null ? null : Buffer.from(fillBody(sent.body, values))
  const headers = Object.fromEntries(fillHeaders(ownHeaders(request), values))
  // For a method that seldom has a body, Node does not send its length.
  if (body !== null) headers['content-length'] = String(body.length)
  return new Promise((resolve, reject) => {
    const outgoing = sendRequest({
      host,
      port,
      method: record.method,
      path: fillUrl(record.url, values),
      headers,
      agent: false,
      signal: AbortSignal.timeout(LONGEST_MS),
    })
    outgoing.once('error', reject)
    outgoing.once('response', (res) => {
      // The browser has asked for the decision, not for the data: a stream need not end.
      const id = res.headers['x-request-id']
      res.resume()
      const finish = () => resolve({ status: res.statusCode ?? 0, id: String(id ?? '') || null })
      res.once('end', finish)
      res.once('error', finish)
      if (/^text\/event-stream\b/.test(res.headers['content-type'] ?? '')) {
        outgoing.destroy()
        finish()
      }
    })
    outgoing.end(body ?? undefined)
  })
}
