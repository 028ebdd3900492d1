import { type Agent, type IncomingMessage, request as send } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { ReadableStream } from 'node:stream/web'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { hasJsonBody, type Judge, observe } from './exchange.js'

/** Never resolved: connections are made in memory. The name is what `req.hostname` shows. */
export const ORIGIN = 'http://in-process'

/** As many as the standard allows. */
const MAX_REDIRECTS = 20
const REDIRECTS = [301, 302, 303, 307, 308]
/** Statuses with which a `Response` takes no body. */
const BODILESS = [204, 205, 304]

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** The way to the application. */
export interface FetchLink {
  readonly agent: Agent
  /** Sent where the request does not say otherwise. */
  readonly headers: ReadonlyMap<string, string>
  /** Asked about every answer, whose body is then read first if it is JSON. `null` asks nobody. */
  readonly judge: Judge | null
}

/** One request of possibly several: redirects lead to others. */
interface Hop {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  /** A stream can be sent once; bytes can follow a redirect. */
  readonly body: Buffer | Readable | null
}

/** The head of an answer, and where its body comes from. */
interface Answer {
  readonly head: IncomingMessage
  readonly body: Readable
}

/**
 * The standard's `fetch` over connections in memory. Whatever host a URL names, the application answers; a URL
 * without one is resolved against `http://in-process`.
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
    const answer = await exchange(hop, signal, link)
    const location = redirect === 'manual' ? null : locationOf(answer.head)
    if (location === null) return toResponse(answer, hop, redirects > 0)
    answer.head.destroy()
    if (redirect === 'error') throw failed('a redirect, which redirect: "error" forbids')
    if (redirects === MAX_REDIRECTS) throw failed(`more than ${MAX_REDIRECTS} redirects`)
    hop = nextHop(hop, location, answer.head.statusCode ?? 0)
  }
}

function failed(cause: string | Error): TypeError {
  const message = typeof cause === 'string' ? cause : cause.message
  return new TypeError(`fetch failed: ${message}`, typeof cause === 'string' ? {} : { cause })
}

function fromUrl(input: string | URL, init: RequestInit | undefined): Request {
  const url = new URL(input, ORIGIN)
  // Asked for by the standard where a body is a stream, and harmless elsewhere.
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
  return { url: new URL(request.url), method: request.method, headers, body }
}

/** What was given whole is sent whole, with its length; what comes bit by bit is sent so. */
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

function exchange(hop: Hop, signal: AbortSignal, { agent, judge }: FetchLink): Promise<Answer> {
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
    let head: IncomingMessage | undefined
    let failure: Error | undefined
    const abort = () => {
      ;(head ?? req).destroy(signal.reason)
      reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    req.once('close', () => signal.removeEventListener('abort', abort))
    req.on('error', (error) => reject(signal.aborted ? signal.reason : failed(error)))
    if (judge !== null) {
      observe(req, judge, (found) => {
        failure = found
      })
    }
    req.once('response', (res) => {
      head = res
      readJudged(judge !== null && hasJsonBody(req, res), res).then(
        (source) => {
          if (failure === undefined) return resolve({ head: res, body: source })
          res.destroy()
          reject(failure)
        },
        (error) => reject(signal.aborted ? signal.reason : failed(error)),
      )
    })
    // What the request itself says of it is only that it was cut.
    if (body instanceof Readable) body.once('error', (error) => reject(failed(error)))
    sendBody(req, body)
  })
}

/** The body of an answer; one that is judged is there as a whole before anybody hears of the answer. */
async function readJudged(isJudged: boolean, res: IncomingMessage): Promise<Readable> {
  return isJudged ? Readable.from([await buffer(res)]) : res
}

function sendBody(req: ReturnType<typeof send>, body: Hop['body']): void {
  if (body instanceof Readable) pipeline(body, req, () => {})
  else req.end(body ?? undefined)
}

function locationOf({ statusCode = 0, headers }: IncomingMessage): string | null {
  return REDIRECTS.includes(statusCode) ? (headers.location ?? null) : null
}

/** Fetch, 4.4: what was posted is fetched where it now is, except by 307 and 308, which keep the method and the body. */
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

function toResponse({ head, body }: Answer, hop: Hop, redirected: boolean): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = head
  const headers = new Headers()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    headers.append(rawHeaders[i] as string, rawHeaders[i + 1] as string)
  }
  const isEmpty = hop.method === 'HEAD' || BODILESS.includes(status)
  if (isEmpty) body.resume()
  const content = isEmpty ? null : toWeb(decoded(body, headers), head)
  // Whichever of the two libraries describes streams: Node's own types and those of fetch differ where both are loaded.
  const response = new Response(content as never, { status, statusText, headers })
  Object.defineProperty(response, 'url', { value: hop.url.href.replace(/#.*$/, '') })
  Object.defineProperty(response, 'redirected', { value: redirected })
  return response
}

function decoded(body: Readable, headers: Headers): Readable {
  const decoder = DECODERS[headers.get('content-encoding') ?? '']?.()
  if (decoder === undefined) return body
  // Errors of either end are those of what is read.
  return pipeline(body, decoder, () => {}) as unknown as Readable
}

/** Hands chunks on as they come, no faster than they are taken; who cancels is gone, as the server then sees. */
function toWeb(source: Readable, head: IncomingMessage): ReadableStream<Uint8Array<ArrayBuffer>> {
  let isCancelled = false
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      source.on('data', (chunk: Buffer) => {
        // What is on its way already still arrives.
        if (isCancelled) return
        controller.enqueue(new Uint8Array(chunk))
        if ((controller.desiredSize ?? 0) <= 0) source.pause()
      })
      source.once('end', () => isCancelled || controller.close())
      source.on('error', (error) => controller.error(error))
    },
    pull() {
      source.resume()
    },
    cancel() {
      isCancelled = true
      source.destroy()
      head.destroy()
    },
  })
}
