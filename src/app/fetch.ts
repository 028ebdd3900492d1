import { ClientRequest, type IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { ReadableStream } from 'node:stream/web'
import { type ConnectionOrigin, MemorySocket } from '../http/memory-socket.js'
import { webResponse } from '../http/web-response.js'
import { closedError } from './lifecycle.js'
import type { ServerEntry } from './server.js'

/** Facts about the client of a request. The host provides them. */
export interface FetchInfo {
  /** The IP address of the client, for `req.ip` and rate limits. Default: unknown, as on a Unix socket. */
  readonly remoteAddress?: string | undefined
}

type Request = globalThis.Request
type Response = globalThis.Response

/**
 * The type of `app.fetch`. It is declared as a method, so that `TestApp` can accept other arguments besides a
 * `Request`.
 */
export type Fetch = {
  fetch(request: Request, info?: object & FetchInfo): Promise<Response>
}['fetch']

/**
 * Headers that apply to one connection only (RFC 9110, section 7.6.1). The host has its own connection to the client,
 * and the in-memory connection has its own framing.
 */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
])

/** Creates the function that sends Fetch API requests to a server in this process. */
export function createFetch({ server, connections }: ServerEntry): Fetch {
  return async function fetchInMemory(request, info) {
    const url = urlOf(request)
    const origin = originOf(url, info)
    request.signal?.throwIfAborted()
    if (connections.isClosing) throw closedError()
    const connect = (): MemorySocket => {
      const [client, serverSide] = MemorySocket.pair(origin)
      // Node documents this use of the event: a server accepts any duplex stream in this way.
      server.emit('connection', serverSide)
      return client
    }
    return await exchange(request, url, connect)
  }
}

function urlOf(request: Request): URL {
  if (typeof request?.url !== 'string' || typeof request.headers?.forEach !== 'function') {
    throw new TypeError('app.fetch() needs a Request: app.fetch(new Request(url, init))')
  }
  const url = new URL(request.url)
  if (/^https?:$/.test(url.protocol)) return url
  throw new TypeError(`app.fetch() handles http and https URLs, not ${url.href}`)
}

function originOf({ protocol }: URL, info: FetchInfo | undefined): ConnectionOrigin {
  const address = info?.remoteAddress
  const family = address === undefined ? 0 : isIP(address)
  if (address !== undefined && family === 0) {
    throw new TypeError(`remoteAddress of app.fetch() is not an IP address: ${String(address)}`)
  }
  return {
    remoteAddress: address,
    remoteFamily: family === 0 ? undefined : `IPv${family}`,
    // Express reads this property, so that `req.protocol` and `req.secure` match the URL.
    encrypted: protocol === 'https:',
  }
}

function exchange(request: Request, url: URL, connect: () => MemorySocket): Promise<Response> {
  const { method, signal } = request
  const body = bodyOf(request)
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(signal?.aborted ? signal.reason : error)
    // Creates the class directly, because tracers replace the function `request` and would record an outgoing call.
    const sent = new ClientRequest({
      // The type requires a network socket, but Node uses only the members that a `MemorySocket` has.
      createConnection: connect as never,
      method,
      path: url.pathname + url.search,
      headers: headersOf(request, url, body),
      setHost: false,
    })
    let received: IncomingMessage | undefined
    const abort = () => {
      ;(received ?? sent).destroy(signal.reason)
      reject(signal.reason)
    }
    signal?.addEventListener('abort', abort, { once: true })
    sent.once('close', () => signal?.removeEventListener('abort', abort))
    sent.on('error', (error) => fail(lost(error)))
    sent.once('response', (incoming) => {
      received = incoming
      try {
        resolve(webResponse(incoming, method, { omit: HOP_BY_HOP }))
      } catch (error) {
        // The Fetch API does not allow this status.
        incoming.destroy()
        reject(error)
      }
    })
    if (body === null) sent.end()
    else {
      sendBody(body, sent).catch((error) => {
        sent.destroy()
        fail(error)
      })
    }
  })
}

/**
 * Sends a body, and compares its length with `Content-Length`. The server would read extra bytes as another request,
 * and would wait forever for missing bytes.
 */
async function sendBody({ stream, length }: SentBody, sent: ClientRequest): Promise<void> {
  const reader = stream.getReader()
  // A response can be sent before the whole body has been read. The rest of the body is then cancelled.
  sent.once('close', () => reader.cancel().catch(() => {}))
  let left = length ?? Number.POSITIVE_INFINITY
  for (;;) {
    const { done, value } = await reader.read()
    if (sent.destroyed) return
    if (done) break
    // A stream of strings has no length in bytes, so `Content-Length` cannot be checked.
    if (!ArrayBuffer.isView(value))
      throw new TypeError('The chunks of the request body are not bytes')
    left -= value.byteLength
    if (left < 0) throw wrongLength(length)
    if (!sent.write(value)) await new Promise((resolve) => sent.once('drain', resolve))
  }
  if (length !== null && left > 0) throw wrongLength(length)
  sent.end()
}

function wrongLength(length: number | null): TypeError {
  return new TypeError(`The length of the request body differs from its Content-Length, ${length}`)
}

/** The body of a request, and its length if a header specifies it. */
interface SentBody {
  readonly stream: ReadableStream
  readonly length: number | null
}

function bodyOf({ body, bodyUsed, headers }: Request): SentBody | null {
  if (body === null) return null
  if (bodyUsed || body.locked) throw new TypeError('The request body has already been read')
  const length = headers.get('content-length')
  if (length !== null && !/^\d+$/.test(length)) {
    throw new TypeError(`The Content-Length of the request is not a number: ${length}`)
  }
  // The types of Node and of the DOM library differ when both are loaded.
  return { stream: body as ReadableStream, length: length === null ? null : Number(length) }
}

function headersOf({ headers }: Request, url: URL, body: SentBody | null): Record<string, string> {
  const sent: Record<string, string> = { host: url.host }
  headers.forEach((value, given) => {
    // A host can pass names in any case.
    const name = given.toLowerCase()
    if (!HOP_BY_HOP.has(name)) sent[name] = value
  })
  if (body === null) delete sent['content-length']
  // Without this header, Node would send the body of a GET or DELETE request without a length.
  else if (body.length === null) sent['transfer-encoding'] = 'chunked'
  return sent
}

function lost(cause: Error): TypeError {
  return new TypeError('The application ended the connection without a response', { cause })
}
