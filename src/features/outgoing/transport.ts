import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import type { AnswerCall } from '../../contracts/outgoing-call.js'
import { isBodiless } from '../../http/to-web-stream.js'
import type { Call } from './call.js'
import { type Address, checkPublicUrl, type LookUp, publicAddresses } from './public-hosts.js'

/** Sends a call once. */
export type Transport = (call: Call) => Promise<Response>

/** Dependencies of the transport of calls. */
export interface TransportConfig {
  /** Answers calls in place of other hosts; `null` outside of tests. */
  readonly answer: AnswerCall | null
  /** Looks up the addresses of strangers' URLs. Default: Node's look-up. */
  readonly lookUp?: LookUp
}

/** Returns what sends the calls of an application. */
export function transportOf({ answer, lookUp }: TransportConfig): Transport {
  return async function send(call) {
    const { asked, headers, limit, isPublic } = call
    const { input, init } = asked
    const { signal } = limit
    if (answer === null && !isPublic) return await fetch(input, { ...init, headers, signal })
    return await followRedirects(
      await messageOf(call),
      init.redirect ?? 'follow',
      async (message) => {
        if (isPublic) checkPublicUrl(message.url, init.ports)
        if (answer !== null) return await untilAborted(sendAnswered(message, answer), signal)
        const addresses = await untilAborted(publicAddresses(message.url, lookUp), signal)
        return await sendPinned(message, addresses)
      },
    )
  }
}

/** A message to send. */
export interface Message {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: Uint8Array | null
  readonly signal: AbortSignal
}

/** Returns the message of a call. Reads its body into memory, because redirects may send it again. */
async function messageOf({ asked, method, url, headers, limit }: Call): Promise<Message> {
  // The type of the body is a header that `Request` adds.
  const request = new Request(asked.input, { ...asked.init, headers, signal: null })
  const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer())
  return { url, method, headers: new Headers(request.headers), body, signal: limit.signal }
}

/** @throws the reason of the signal. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Has a message answered in place of its host. */
async function sendAnswered(message: Message, answer: AnswerCall): Promise<Response> {
  const { method, url, headers, body } = message
  const {
    status = 200,
    error,
    json,
    ...own
  } = await answer({
    method,
    url: url.href,
    headers: Object.fromEntries(headers),
    body: body === null ? null : Buffer.from(body).toString(),
  })
  if (error !== undefined) throw failed(new Error(error))
  const init = { status, headers: own.headers ?? {} }
  if (isBodiless(method, status)) return new Response(null, init)
  return json === undefined ? new Response(own.body ?? null, init) : Response.json(json, init)
}

/**
 * Sends a message to one of these addresses, and looks up no name. `fetch` looks a name up itself. The connection is closed
 * afterwards, so that no later call has it without a check.
 */
export function sendPinned(message: Message, addresses: readonly Address[]): Promise<Response> {
  const { url, method, headers, body, signal } = message
  const lookup: LookupFunction = (_host, { all }, done) => {
    const [first] = addresses as readonly [Address]
    if (all === true) done(null, [...addresses])
    else done(null, first.address, first.family)
  }
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const options = { method, headers: Object.fromEntries(headers), signal, lookup, agent: false }
  return new Promise((resolve, reject) => {
    const sent = send(url, options, (received) => {
      try {
        resolve(responseOf(received, method))
      } catch (error) {
        // A status or a header that no response can have.
        received.destroy()
        reject(failed(error))
      }
    })
    sent.on('error', (error) => reject(signal.aborted ? signal.reason : failed(error)))
    sent.end(body ?? undefined)
  })
}

function responseOf(received: IncomingMessage, method: string): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', headersDistinct } = received
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  const isEmpty = isBodiless(method, status)
  const content = isEmpty ? null : (Readable.toWeb(received) as ReadableStream)
  if (isEmpty) received.resume()
  return new Response(content, { status, statusText, headers })
}

/** As `fetch` fails. */
function failed(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause })
}

/** As `fetch`. */
const MOST = 20
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** Headers that are meant only for the original host. */
const OF_THE_HOST = ['authorization', 'proxy-authorization', 'cookie', 'host']

/** Sends one message without following redirects. */
type Send = (message: Message) => Promise<Response>

/** Sends a message, and follows redirects as `fetch` does, with a call of `send` for each. */
export async function followRedirects(
  message: Message,
  mode: NonNullable<RequestInit['redirect']>,
  send: Send,
): Promise<Response> {
  let current = message
  for (let count = 0; count <= MOST; count++) {
    const response = await send(current)
    const location = response.headers.get('location')
    const isLast = !REDIRECTS.has(response.status) || location === null || mode === 'manual'
    if (isLast) return named(response, current.url, count > 0)
    await response.body?.cancel()
    if (mode === 'error') break
    current = redirected(current, response.status, location)
  }
  throw failed(new Error('There were too many redirects.'))
}

function redirected(message: Message, status: number, location: string): Message {
  const { method } = message
  const url = new URL(location, message.url)
  // They would become a header.
  url.username = url.password = ''
  const headers = new Headers(message.headers)
  if (url.origin !== message.url.origin) for (const name of OF_THE_HOST) headers.delete(name)
  const isGet = method === 'GET' || method === 'HEAD'
  const becomesGet = (status === 303 && !isGet) || (status < 303 && method === 'POST')
  if (!becomesGet) return { ...message, url, headers }
  for (const name of [...headers.keys()]) if (name.startsWith('content-')) headers.delete(name)
  return { ...message, url, headers, method: 'GET', body: null }
}

/** A response that was not created by `fetch` has no URL. */
function named(response: Response, url: URL, isRedirected: boolean): Response {
  return Object.defineProperties(response, {
    url: { value: url.href },
    redirected: { value: isRedirected },
  })
}
