import { type Agent, type ClientRequest, type IncomingMessage, request as send } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { ReadableStream } from 'node:stream/web'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { locationOf, MAX_REDIRECTS, redirected, withUrl } from '../http/follow-redirects.js'
import { webResponse } from '../http/web-response.js'
import { type CheckExchange, hasJsonBody, observe } from './exchange.js'
import type { Exchanges } from './test-failures.js'

/**
 * The origin of relative URLs. It is never resolved, because connections are in memory; `req.hostname` contains the
 * name.
 */
export const ORIGIN = 'http://in-process'

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** The method of a request, and its path with the query. */
export interface SentPath {
  readonly method: string
  readonly path: string
}

/** The connection to the application. */
export interface FetchLink {
  readonly agent: Agent
  /** Headers that are added to every request, unless the request itself sets them. */
  readonly headers: ReadonlyMap<string, string>
  /** Returns the path that is sent. */
  readonly pathOf: (request: SentPath) => string
  /**
   * Checks every response; the whole JSON body is then read before `fetch` resolves. `null` if responses are not
   * checked.
   */
  readonly checkExchange: CheckExchange | null
  readonly exchanges: Exchanges
}

/** One request. A redirect causes another request. */
interface Hop {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  /** A stream can be sent only once; bytes can be sent again after a redirect. */
  readonly body: Buffer | Readable | null
}

/** The sent request, the head of its response and the stream of its body. */
interface Received {
  readonly sent: ClientRequest
  readonly head: IncomingMessage
  readonly body: Readable
}

/**
 * The standard `fetch` over in-memory connections. Every request is sent to the application, even if its URL has
 * another host. A URL without a host is resolved against `http://in-process`.
 */
export async function memoryFetch(
  input: string | URL | Request,
  init: RequestInit | undefined,
  link: FetchLink,
): Promise<Response> {
  const request = input instanceof Request ? new Request(input, init) : fromUrl(input, init)
  const { signal, redirect } = request
  let hop = await firstHop(request, init, link)
  for (let redirects = 0; ; redirects++) {
    signal.throwIfAborted()
    const received = await exchange(hop, signal, link)
    const { head, body } = received
    const { statusCode = 0, headers } = head
    const location = redirect === 'manual' ? null : locationOf(statusCode, headers.location)
    if (location === null) {
      const bodyOf = (headers: Headers) => decoded(body, headers)
      const response = webResponse(head, hop.method, { bodyOf })
      withUrl(response, hop.url, redirects > 0)
      link.exchanges.noteResponse(response, received.sent)
      return response
    }
    head.destroy()
    if (redirect === 'error')
      throw failed('the response is a redirect, which redirect: "error" forbids')
    if (redirects === MAX_REDIRECTS) throw failed(`more than ${MAX_REDIRECTS} redirects`)
    hop = nextHop(hop, location, statusCode)
  }
}

function failed(cause: string | Error): TypeError {
  const message = typeof cause === 'string' ? cause : cause.message
  return new TypeError(`fetch failed: ${message}`, typeof cause === 'string' ? {} : { cause })
}

function fromUrl(input: string | URL, init: RequestInit | undefined): Request {
  const url = new URL(input, ORIGIN)
  // The Fetch Standard requires `duplex` if the body is a stream; it has no effect on other bodies.
  return new Request(url, { duplex: 'half', ...init } as RequestInit)
}

async function firstHop(
  request: Request,
  init: RequestInit | undefined,
  link: FetchLink,
): Promise<Hop> {
  const headers = new Headers(request.headers)
  const defaults = { accept: '*/*', 'accept-encoding': 'gzip, deflate, br' }
  for (const [name, value] of [...link.headers, ...Object.entries(defaults)]) {
    if (!headers.has(name)) headers.set(name, value)
  }
  const body = await bodyOf(request, init?.body)
  if (Buffer.isBuffer(body)) headers.set('content-length', String(body.length))
  // Without this header, Node would send the stream of a DELETE request without framing, and the server would parse it
  // as another request.
  else if (body !== null) headers.set('transfer-encoding', 'chunked')
  const { method } = request
  const url = new URL(request.url)
  return {
    url: new URL(link.pathOf({ method, path: url.pathname + url.search }), url),
    method,
    headers,
    body,
  }
}

/**
 * Converts a body that is not a stream to bytes, so that the request has a `Content-Length`. A stream stays a stream.
 */
async function bodyOf(request: Request, given: unknown): Promise<Hop['body']> {
  if (request.body === null) return null
  const isWhole = given !== undefined && !isStream(given)
  if (isWhole) return Buffer.from(await request.arrayBuffer())
  return Readable.fromWeb(request.body as ReadableStream)
}

function isStream(body: unknown): boolean {
  const isBlob = body instanceof Blob || body instanceof FormData || body instanceof URLSearchParams
  return (
    typeof body === 'object' &&
    !isBlob &&
    (body instanceof ReadableStream || Symbol.asyncIterator in (body as object))
  )
}

function exchange(
  hop: Hop,
  signal: AbortSignal,
  { agent, checkExchange, exchanges }: FetchLink,
): Promise<Received> {
  const { url, method, headers, body } = hop
  return new Promise((resolve, reject) => {
    const req = send({
      agent,
      host: url.hostname,
      port: url.port,
      path: url.pathname + url.search,
      method,
      headers: Object.fromEntries(headers),
    })
    exchanges.follow(req)
    let head: IncomingMessage | undefined
    let failure: Error | undefined
    const abort = () => {
      ;(head ?? req).destroy(signal.reason)
      reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    req.once('close', () => signal.removeEventListener('abort', abort))
    req.on('error', (error) => reject(signal.aborted ? signal.reason : failed(error)))
    if (checkExchange !== null) {
      observe(req, checkExchange, (found) => {
        failure = found
      })
    }
    req.once('response', (res) => {
      head = res
      readChecked(checkExchange !== null && hasJsonBody(req, res), res).then(
        (source) => {
          if (failure === undefined) return resolve({ sent: req, head: res, body: source })
          res.destroy()
          reject(failure)
        },
        (error) => reject(signal.aborted ? signal.reason : failed(error)),
      )
    })
    // The error of the request indicates only that the connection was closed; the error of the body stream is the
    // cause.
    if (body instanceof Readable) body.once('error', (error) => reject(failed(error)))
    sendBody(req, body)
  })
}

/** Returns the body stream of a response. The whole body of a checked response is read first. */
async function readChecked(isJudged: boolean, res: IncomingMessage): Promise<Readable> {
  return isJudged ? Readable.from([await buffer(res)]) : res
}

function sendBody(req: ReturnType<typeof send>, body: Hop['body']): void {
  if (body instanceof Readable) pipeline(body, req, () => {})
  else req.end(body ?? undefined)
}

/** The next request, which must not leave the application. */
function nextHop(hop: Hop, location: string, status: number): Hop {
  const next = redirected(hop, status, location)
  const { href, origin } = next.url
  if (origin !== hop.url.origin)
    throw failed(
      `the response redirects to ${href}, outside of the application; to inspect it, set redirect: "manual"`,
    )
  if (next.body instanceof Readable)
    throw failed('the response is a redirect, but a stream cannot be sent again')
  return next
}

function decoded(body: Readable, headers: Headers): Readable {
  const decoder = DECODERS[headers.get('content-encoding') ?? '']?.()
  if (decoder === undefined) return body
  // After an error, which the reader of the returned stream receives, `pipeline` destroys both streams.
  return pipeline(body, decoder, () => {}) as unknown as Readable
}
