import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { AnswerCall } from '../../contracts/outgoing-call.js'
import { locationOf, MAX_REDIRECTS, redirected, withUrl } from '../../http/follow-redirects.js'
import { isBodiless } from '../../http/to-web-stream.js'
import { webResponse } from '../../http/web-response.js'
import type { Call } from './call.js'
import { type Address, checkPublicUrl, type LookUp, publicAddresses } from './public-hosts.js'

/** Sends a call once. */
export type Transport = (call: Call) => Promise<Response>

/** Dependencies of the transport. */
export interface TransportConfig {
  /** Returns a test's responses in place of the responses of other hosts; `null` outside tests. */
  readonly answer: AnswerCall | null
  /** Looks up the addresses of untrusted URLs. Default: Node's look-up. */
  readonly lookUp?: LookUp
}

/** Creates the transport that sends an application's calls. */
export function transportOf({ answer, lookUp }: TransportConfig): Transport {
  return (call) => {
    const { headers, signal, isPublic } = call
    const { input, init } = call.asked
    if (answer === null && !isPublic) return fetch(input, { ...init, headers, signal })
    const send: Send = async (message) => {
      if (isPublic) checkPublicUrl(message.url, init.ports)
      if (answer !== null) return await sendAnswered(message, answer)
      return await sendPinned(message, await publicAddresses(message.url, lookUp))
    }
    const mode = init.redirect ?? (input instanceof Request ? input.redirect : undefined)
    const sent = messageOf(call).then((message) => followRedirects(message, mode, send))
    return untilAborted(sent, signal)
  }
}

/** A request message to send. */
export interface Message {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: Uint8Array | null
  readonly signal: AbortSignal
}

/** Returns the message for a call. Reads the body into memory, because a redirect may require sending it again. */
async function messageOf({ asked, method, url, headers, signal }: Call): Promise<Message> {
  // `Request` adds the `Content-Type` of the body.
  const request = new Request(asked.input, { ...asked.init, headers, signal: null })
  const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer())
  return { url, method, headers: new Headers(request.headers), body, signal }
}

/** @throws the signal's reason when the signal aborts, even during a look-up or while a test creates the response. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
  return Promise.race([promise, aborted])
}

/** Returns the test's response to a message, in place of the host's response. */
async function sendAnswered(message: Message, answer: AnswerCall): Promise<Response> {
  const { method, url, headers, body } = message
  const text = body === null ? null : Buffer.from(body).toString()
  const sent = { method, url: url.href, headers: Object.fromEntries(headers), body: text }
  const { status = 200, error, json, ...own } = await answer(sent)
  if (error !== undefined) throw failed(new Error(error))
  const init = { status, headers: own.headers ?? {} }
  if (isBodiless(method, status)) return new Response(null, init)
  return json === undefined ? new Response(own.body ?? null, init) : Response.json(json, init)
}

/**
 * Sends a message to one of these addresses, without a look-up. `fetch` cannot be used, because it looks up the name
 * itself. The connection is closed afterwards, so that no later call can reuse it without a check.
 */
export async function sendPinned(
  { url, method, headers, body, signal }: Message,
  addresses: readonly Address[],
): Promise<Response> {
  const lookup: LookupFunction = (_host, { all }, done) => {
    const [first] = addresses as readonly [Address]
    if (all === true) done(null, [...addresses])
    else done(null, first.address, first.family)
  }
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const options = { method, headers: Object.fromEntries(headers), signal, lookup, agent: false }
  const sent = send(url, options).end(body ?? undefined)
  // Ignore errors here, even after the response head: the response body reports them as well.
  sent.on('error', () => {})
  try {
    const [received] = (await once(sent, 'response')) as [IncomingMessage]
    return webResponse(received, method)
  } catch (error) {
    // The host may have sent a status or header that a `Response` cannot represent.
    sent.destroy()
    throw signal.aborted ? signal.reason : failed(error)
  }
}

/** Creates the error that `fetch` would throw. */
function failed(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause })
}

/** Sends one message without following redirects. */
type Send = (message: Message) => Promise<Response>

/** Sends a message and follows redirects as `fetch` does. Calls `send` for each message. */
export async function followRedirects(
  message: Message,
  mode: RequestInit['redirect'],
  send: Send,
): Promise<Response> {
  let current = message
  for (let count = 0; count <= MAX_REDIRECTS; count++) {
    const response = await send(current)
    const { status, headers } = response
    const location = mode === 'manual' ? null : locationOf(status, headers.get('location'))
    if (location === null) return withUrl(response, current.url, count > 0)
    await response.body?.cancel()
    if (mode === 'error') break
    current = redirected(current, status, location)
  }
  throw failed(new Error("There were too many redirects, or `redirect` is 'error'."))
}
