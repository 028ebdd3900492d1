import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'

type Headers = OutgoingHttpHeaders | readonly (OutgoingHttpHeader | readonly [string, string])[]

/**
 * Has every header of an answer set by name where no connection carries it. Serverless adapters make an event of the answer: they read
 * `getHeaders()` when it is over, where what was written with the head alone does not stand.
 */
export function setHeadersForStandIn(res: ServerResponse): void {
  const socket = res.socket ?? res.req?.socket
  if (socket instanceof Duplex) return
  // Node asks it whether everything is out.
  if (res.socket != null && res.socket.writableLength === undefined) {
    Object.assign(res.socket, { writableLength: 0 })
  }
  if (!Object.hasOwn(res, 'writeHead')) res.writeHead = writeSetHead
}

/** `writeHead` that sets what it is given. Of two applications, one in the other, it is that of the one that answers. */
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
