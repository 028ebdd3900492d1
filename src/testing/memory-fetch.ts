import { type Agent, type ClientRequest, type IncomingMessage, request as send } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { ReadableStream } from 'node:stream/web'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { isBodiless, toWebStream } from '../http/to-web-stream.js'
import { type CheckExchange, hasJsonBody, observe } from './exchange.js'
import type { Exchanges } from './test-failures.js'

/**
 * The origin of relative URLs. It is never resolved, because connections are in memory; `req.hostname` contains the
 * name.
 */
export const ORIGIN = 'http://in-process'

/** The limit in the Fetch Standard. */
const MAX_REDIRECTS = 20
const REDIRECTS = [301, 302, 303, 307, 308]

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** The method of a request, and its path with its query. */
export interface SentPath {
  readonly method: string
  readonly path: string
}

/** The connection to the application. */
export interface FetchLink {
  readonly agent: Agent
  /** Headers added to every request, unless the request sets them itself. */
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
    const location = redirect === 'manual' ? null : locationOf(received.head)
    if (location === null) {
      const response = toResponse(received, hop, redirects > 0)
      link.exchanges.noteResponse(response, received.sent)
      return response
    }
    received.head.destroy()
    if (redirect === 'error') throw failed('a redirect, which redirect: "error" forbids')
    if (redirects === MAX_REDIRECTS) throw failed(`more than ${MAX_REDIRECTS} redirects`)
    hop = nextHop(hop, location, received.head.statusCode ?? 0)
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
  // Without it, Node would send the stream of a DELETE request without framing, and the server would parse it as a
  // request.
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

/** Converts a body that is not a stream to bytes, so that it gets a `Content-Length`. A stream is sent as a stream. */
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

function locationOf({ statusCode = 0, headers }: IncomingMessage): string | null {
  return REDIRECTS.includes(statusCode) ? (headers.location ?? null) : null
}

/**
 * Fetch Standard, section 4.4: the redirected request becomes a GET without a body, except for 307 and 308, which keep
 * the method and the body.
 */
function nextHop(hop: Hop, location: string, status: number): Hop {
  const url = new URL(location, hop.url)
  if (url.origin !== hop.url.origin) {
    throw failed(
      `a redirect out of the application, to ${url.href}; see it with redirect: "manual"`,
    )
  }
  const isPost = hop.method === 'POST' && (status === 301 || status === 302)
  const isOther = status === 303 && hop.method !== 'GET' && hop.method !== 'HEAD'
  if (!isPost && !isOther) {
    if (hop.body instanceof Readable) throw failed('a redirect of a body that is a stream')
    return { ...hop, url }
  }
  const headers = new Headers(hop.headers)
  for (const name of [...headers.keys()]) if (name.startsWith('content-')) headers.delete(name)
  return { url, method: 'GET', headers, body: null }
}

function toResponse({ head, body }: Received, hop: Hop, redirected: boolean): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = head
  const headers = new Headers()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    headers.append(rawHeaders[i] as string, rawHeaders[i + 1] as string)
  }
  const isEmpty = isBodiless(hop.method, status)
  if (isEmpty) body.resume()
  // When the reader cancels, the connection is destroyed, so that the server detects the disconnect.
  const content = isEmpty ? null : toWebStream(decoded(body, headers), () => head.destroy())
  // The types of `ReadableStream` in Node and in the DOM library differ when both are loaded.
  const response = new Response(content as never, { status, statusText, headers })
  Object.defineProperty(response, 'url', { value: hop.url.href.replace(/#.*$/, '') })
  Object.defineProperty(response, 'redirected', { value: redirected })
  return response
}

function decoded(body: Readable, headers: Headers): Readable {
  const decoder = DECODERS[headers.get('content-encoding') ?? '']?.()
  if (decoder === undefined) return body
  // After an error, which the reader of the returned stream receives, `pipeline` destroys both streams.
  return pipeline(body, decoder, () => {}) as unknown as Readable
}
