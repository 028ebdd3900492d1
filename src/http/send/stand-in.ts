import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'

type Headers = OutgoingHttpHeaders | readonly (OutgoingHttpHeader | readonly [string, string])[]

/**
 * Sets every header of a response by name if the response has no connection. Serverless adapters turn the response
 * into an event: they read `getHeaders()` at the end, which does not contain headers that were only written with the
 * head.
 */
export function setHeadersForStandIn(res: ServerResponse): void {
  const socket = res.socket ?? res.req?.socket
  if (socket instanceof Duplex) return
  // Node reads `writableLength` to find out whether everything has been written. A mock socket may lack it.
  if (res.socket != null && res.socket.writableLength === undefined) {
    Object.assign(res.socket, { writableLength: 0 })
  }
  if (!Object.hasOwn(res, 'writeHead')) res.writeHead = writeSetHead
}

/**
 * A `writeHead` that sets the headers of its arguments, then calls that of the response's class: of two nested
 * applications, the one that responds.
 */
function writeSetHead(this: ServerResponse, status: number, ...rest: unknown[]): ServerResponse {
  const [first, second] = rest
  const reason = typeof first === 'string' ? first : undefined
  setAll(this, (reason === undefined ? (second ?? first) : second) as Headers | undefined)
  const { writeHead } = Object.getPrototypeOf(this) as ServerResponse
  const args = reason === undefined ? [status] : [status, reason]
  return writeHead.apply(this, args as [number])
}

function setAll(res: ServerResponse, headers: Headers | undefined): void {
  if (!Array.isArray(headers)) {
    for (const [name, value] of Object.entries(headers ?? {})) {
      if (value !== undefined) res.setHeader(name, value as OutgoingHttpHeader)
    }
    return
  }
  const pairs = pairsOf(headers)
  for (const [name] of pairs) res.removeHeader(name)
  for (const [name, value] of pairs) res.appendHeader(name, value)
}

/** Node takes `[name, value, …]` as well as `[[name, value], …]`. */
function pairsOf(headers: readonly unknown[]): [string, string][] {
  if (Array.isArray(headers[0])) return headers as [string, string][]
  return Array.from({ length: headers.length / 2 }, (_, i) => [
    headers[2 * i] as string,
    headers[2 * i + 1] as string,
  ])
}
