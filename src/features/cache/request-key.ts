import type { RouteModel } from '../../contracts/route-model.js'
import type { BlazonRequest } from '../../http/request.js'
import { disown } from '../../http/step.js'

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
      disown(value)
      warn(
        `${what} is ${value === '' ? 'empty' : `${String(value)}, not a string`}: the answer is not cached.`,
      )
    } catch (error) {
      // Answering anew costs time; an error would cost the answer.
      warn(`${what} threw ${textOf(error)}: the answer is not cached.`)
    }
    return null
  }
}

/** What was thrown, for the log. An object may have no text, and asking for it then throws once more. */
export function textOf(error: unknown): string {
  try {
    return String(error)
  } catch {
    return 'something without a text'
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
  const isPlain = !ENCODED.test(query)
  const pairs = query.split('&').filter((pair) => pair !== '')
  const names = pairs.map((pair) => nameOf(pair, isPlain))
  if (isSorted(names)) return pairs.join('&')
  const order = [...names.keys()].sort((a, b) => compare(names[a] as string, names[b] as string))
  return order.map((index) => pairs[index]).join('&')
}

function isSorted(names: readonly string[]): boolean {
  for (let i = 1; i < names.length; i++) {
    if (compare(names[i - 1] as string, names[i] as string) > 0) return false
  }
  return true
}

/** By code unit: what order it is does not matter, if only it is one. */
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** What makes a name something else than its letters. */
const ENCODED = /[%+[]/

function nameOf(pair: string, isPlain: boolean): string {
  const end = pair.indexOf('=')
  const raw = end === -1 ? pair : pair.slice(0, end)
  if (isPlain) return raw
  const name = decode(raw)
  const bracket = name.indexOf('[')
  return bracket === -1 ? name : name.slice(0, bracket)
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
  // Requests of other makers, on serverless platforms for one, have none to inherit.
  const own = Object.getOwnPropertyDescriptor(req, 'headers')
  Object.defineProperty(req, 'headers', { value: headers, configurable: true, writable: true })
  try {
    key(req)
  } catch {
    // It did not throw before; what it has read until now is what it knows.
  } finally {
    if (own === undefined) Reflect.deleteProperty(req, 'headers')
    else Object.defineProperty(req, 'headers', own)
  }
  return names
}
