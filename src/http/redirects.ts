/** The limit of the Fetch standard. */
export const MAX_REDIRECTS = 20
const REDIRECTS = [301, 302, 303, 307, 308]
/** Headers that are meant only for the original host. */
const OF_THE_HOST = ['authorization', 'proxy-authorization', 'cookie', 'host']

/** A message that a redirect may change. */
interface Redirectable {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: unknown
}

/** Returns the place to which a response redirects; `null` if it does not redirect. */
export function locationOf(status: number, location: string | null | undefined): string | null {
  return REDIRECTS.includes(status) ? (location ?? null) : null
}

/**
 * Returns the message that follows a redirect (Fetch standard, section 4.4): it becomes a GET without a body, except for 307 and
 * 308, which keep the method and the body.
 */
export function redirected<M extends Redirectable>(
  message: M,
  status: number,
  location: string,
): M & { readonly body: M['body'] | null } {
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

/** Adds the facts that only `fetch` gives a response. */
export function withUrl(response: Response, { href }: URL, isRedirected: boolean): Response {
  return Object.defineProperties(response, {
    url: { value: href.replace(/#.*$/, '') },
    redirected: { value: isRedirected },
  })
}
