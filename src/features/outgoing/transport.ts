import type { AnswerCall, CallAnswer } from '../../contracts/outgoing-call.js'
import type { Call } from './call.js'
import type { OutgoingParts } from './outgoing-parts.js'
import { checkPublicUrl, publicAddresses } from './public-hosts.js'
import { type Message, sendPinned } from './send-pinned.js'

/** Has a message answered in place of its host. */
async function sendAnswered(message: Message, answer: AnswerCall): Promise<Response> {
  const { method, url, headers, body } = message
  const answered = await answer({
    method,
    url: url.href,
    headers: Object.fromEntries(headers),
    body: body === null ? null : Buffer.from(body).toString(),
  })
  return responseOf(answered)
}

const NO_BODY = new Set([204, 205, 304])

function responseOf({ status = 200, headers = {}, json, body, error }: CallAnswer): Response {
  if (error !== undefined) throw new TypeError('fetch failed', { cause: new Error(error) })
  if (NO_BODY.has(status)) return new Response(null, { status, headers })
  if (json === undefined) return new Response(body ?? null, { status, headers })
  const all = new Headers(headers)
  if (!all.has('content-type')) all.set('content-type', 'application/json')
  return new Response(JSON.stringify(json), { status, headers: all })
}

/** Sends a call once. */
export type Transport = (call: Call) => Promise<Response>

/** Returns what sends the calls of an application. */
export function transportOf({ answer, lookUp }: OutgoingParts): Transport {
  return async function send(call) {
    const { input, init } = call.asked
    const { headers, signal } = call
    if (answer === null && !call.isPublic) return await fetch(input, { ...init, headers, signal })
    const sendOnce: Send = async (message) => {
      if (call.isPublic) checkPublicUrl(message.url, init.ports)
      if (answer !== null) return await untilAborted(sendAnswered(message, answer), signal)
      const addresses = await untilAborted(publicAddresses(message.url, lookUp), signal)
      return await sendPinned(message, addresses)
    }
    return await followRedirects(await messageOf(call), init.redirect ?? 'follow', sendOnce)
  }
}

/** Returns the message of a call. Its body is read into memory, for redirects that send it again. */
export async function messageOf(call: Call): Promise<Message> {
  const { asked, method, url, headers, signal } = call
  const { input, init } = asked
  // The type of the body is a header that `Request` adds.
  const request = new Request(input, { ...init, headers, signal: null })
  const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer())
  return { url, method, headers: new Headers(request.headers), body, signal }
}

/** @throws the reason of the signal. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** As `fetch`. */
const MOST = 20
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** They are of the host that they were meant for. */
const OF_THE_HOST = ['authorization', 'proxy-authorization', 'cookie', 'host']

/** Sends one message, without following redirects. */
type Send = (message: Message) => Promise<Response>

/** Sends a message, and follows redirects as `fetch` does: each of them passes `send`. */
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
  throw new TypeError('fetch failed', { cause: new Error('There were too many redirects.') })
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

/** A response that is not of `fetch` has no URL of its own. */
function named(response: Response, url: URL, isRedirected: boolean): Response {
  return Object.defineProperties(response, {
    url: { value: url.href },
    redirected: { value: isRedirected },
  })
}
