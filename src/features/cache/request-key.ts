import type { RouteModel } from '../../contracts/route-model.js'
import type { BlazonRequest } from '../../http/request.js'

/** What tells an answer from others, without the tenant; `null` for a request that the cache has no part in. */
export type RequestKey = (req: BlazonRequest) => string | null

/** Makes the function that names the answers of a route. It never throws. */
export function compileKey(route: RouteModel, warn: (message: string) => void): RequestKey {
  const own = route.cache?.key
  const key: (req: BlazonRequest) => unknown = own ?? defaultKey(route)
  const what = own === undefined ? 'The default key' : 'Its key'
  return function keyOf(req) {
    try {
      const value = key(req)
      if (value === null && own === undefined) return null
      if (typeof value === 'string' && value !== '') return value
      warn(`${what} is ${String(value)}, not a string: the answer is not cached.`)
    } catch (error) {
      // Answering anew costs time; an error would cost the answer.
      warn(`${what} threw ${String(error)}: the answer is not cached.`)
    }
    return null
  }
}

/**
 * Method, path, query, and the user where there must be one. Nothing in it can be read in two ways: a path begins with a slash,
 * a user does not, and neither holds a space.
 */
function defaultKey({ isProtected }: RouteModel): RequestKey {
  if (!isProtected) {
    return (req) => (carriesCredentials(req) ? null : `GET ${pathAndQuery(req)}`)
  }
  return (req) => {
    const user = userOf(req)
    return user === null ? null : `GET ${user} ${pathAndQuery(req)}`
  }
}

/** Such a request may be answered as somebody's, whom this key does not name (RFC 9111, 3.5). */
function carriesCredentials({ headers }: BlazonRequest): boolean {
  return headers.authorization !== undefined || headers.cookie !== undefined
}

/** An id that is an object would be `[object Object]` for everybody. */
function userOf({ user }: BlazonRequest): string | null {
  const id: unknown = user?.id ?? user?.sub
  if (typeof id === 'string') return id === '' ? null : `s${encodeURIComponent(id)}`
  if (typeof id === 'bigint' || Number.isFinite(id)) return `n${id}`
  return null
}

function pathAndQuery({ baseUrl, url }: BlazonRequest): string {
  const mark = url.indexOf('?')
  if (mark === -1) return baseUrl + url
  const query = sortQuery(url.slice(mark + 1))
  return `${baseUrl}${url.slice(0, mark)}${query === '' ? '' : `?${query}`}`
}

/**
 * Brings the parameters of a query into one order. Those of one name keep theirs, because handlers see them as a list; so do
 * `a`, `a[]` and `a[0]`. They stay encoded: decoded, `a=1%26b=2` would be `a=1&b=2`.
 */
export function sortQuery(query: string): string {
  if (!query.includes('&')) return query
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => ({ pair, name: nameOf(pair) }))
    .sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
    .map(({ pair }) => pair)
    .join('&')
}

function nameOf(pair: string): string {
  const [raw = ''] = pair.split('=', 1)
  const [root = ''] = decode(raw).split('[', 1)
  return root
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}

/** The headers that a key looks at, in lower case, as far as it is called like this request. */
export function headersReadBy(
  key: (req: BlazonRequest) => unknown,
  req: BlazonRequest,
): Set<string> {
  const names = new Set<string>()
  const headers = new Proxy(req.headers, {
    get(target, name, receiver) {
      names.add(String(name))
      return Reflect.get(target, name, receiver)
    },
  })
  Object.defineProperty(req, 'headers', { value: headers, configurable: true })
  try {
    key(req)
  } catch {
    // It did not throw before; what it has read until now is what it knows.
  } finally {
    Reflect.deleteProperty(req, 'headers')
  }
  return names
}
