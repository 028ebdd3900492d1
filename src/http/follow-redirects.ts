/** The maximum number of redirects in the Fetch standard. */
export const MAX_REDIRECTS = 20
const REDIRECTS = [301, 302, 303, 307, 308]
/** The headers that must be sent only to the original host. */
const OF_THE_HOST = ['authorization', 'proxy-authorization', 'cookie', 'host']

/** The fields of a message that a redirect can change. */
interface Redirectable {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: unknown
}

/** Returns the location to which a response redirects; `null` if it does not redirect. */
export function locationOf(status: number, location: string | null | undefined): string | null {
  return REDIRECTS.includes(status) ? (location ?? null) : null
}

/**
 * Returns the message to send after a redirect (Fetch standard, section 4.4). A 303 changes the message to a GET
 * without a body, unless it is a GET or HEAD. A 301 or 302 does so only for a POST. All other redirects keep the method
 * and the body.
 */
export function redirected<M extends Redirectable>(
  message: M,
  status: number,
  location: string,
): M & { readonly body: M['body'] | null } {
  const { method } = message
  const url = new URL(location, message.url)
  // The user name and the password would become a header.
  url.username = url.password = ''
  const headers = new Headers(message.headers)
  if (url.origin !== message.url.origin) for (const name of OF_THE_HOST) headers.delete(name)
  const isGet = method === 'GET' || method === 'HEAD'
  const becomesGet = (status === 303 && !isGet) || (status < 303 && method === 'POST')
  if (!becomesGet) return { ...message, url, headers }
  for (const name of [...headers.keys()]) if (name.startsWith('content-')) headers.delete(name)
  return { ...message, url, headers, method: 'GET', body: null }
}

/** Sets the response properties that only `fetch` normally sets. */
export function withUrl(response: Response, { href }: URL, isRedirected: boolean): Response {
  return Object.defineProperties(response, {
    url: { value: href.replace(/#.*$/, '') },
    redirected: { value: isRedirected },
  })
}
