import type { Message } from './send-pinned.js'

/** As `fetch`. */
const MOST = 20
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** They are of the host that they were meant for. */
const OF_THE_HOST = ['authorization', 'proxy-authorization', 'cookie', 'host']

/** Sends one message, without following redirects. */
export type Send = (message: Message) => Promise<Response>

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
