import { type Agent, type IncomingHttpHeaders, request as send } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type CheckExchange, hasJsonBody, observe } from '../exchange.js'
import type { WireRequest } from './wire-request.js'

/** The connection to the application. */
export interface FuzzLink {
  readonly agent: Agent
  /** Sent with every request, unless the request sets them itself. */
  readonly headers: ReadonlyMap<string, string>
  readonly checkExchange: CheckExchange
}

/** The parts of a response that are checked. */
export interface FuzzResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Empty unless it is JSON. */
  readonly body: string
  /** The error of the contract check; `undefined` when the response is as documented. */
  readonly violation: Error | undefined
}

/** Merges the headers of a request over the headers of the run, without the names that the request leaves out. */
export function headersOf(
  { headers, without }: WireRequest,
  given: ReadonlyMap<string, string>,
): Record<string, string> {
  const beside = [...given].filter(([name]) => !without.includes(name))
  const merged = { ...Object.fromEntries(beside), ...headers }
  const cookies = [given.get('cookie'), headers['cookie']].filter((each) => each !== undefined)
  return cookies.length < 2 ? merged : { ...merged, cookie: cookies.join('; ') }
}

/** Sends a request unchanged; `fetch` would normalise its URL. */
export function sendRequest(request: WireRequest, link: FuzzLink): Promise<FuzzResponse> {
  const { method, target, body } = request
  const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const req = send({
      agent: link.agent,
      host: 'in-process',
      method,
      path: target,
      headers: { ...headersOf(request, link.headers), ...length },
    })
    let violation: Error | undefined
    observe(req, link.checkExchange, (found) => {
      violation = found
    })
    req.on('error', reject)
    req.once('response', (res) => {
      const { statusCode: status = 0 } = res
      const settle = (bytes: string) =>
        resolve({ status, headers: res.headers, body: bytes, violation })
      if (hasJsonBody(req, res)) {
        buffer(res).then((bytes) => settle(bytes.toString()), reject)
        return
      }
      // Only the head of other responses is checked, and a stream may never end.
      res.on('error', () => {})
      res.destroy()
      settle('')
    })
    req.end(body ?? undefined)
  })
}
