import type { RouteModel } from '../../contracts/route-model.js'
import type { BlazonRequest } from '../../http/request.js'
import { disown } from '../../step/thenable.js'
import type { Caller } from './caller.js'

/** What tells an answer from others, without the tenant; `null` for a request that the cache has no part in. */
export type RequestKey = (req: BlazonRequest, caller: string | null) => string | null

/** A request without a key of its own making that nothing has to be said about. */
const NO_PART = Symbol('no part')

/** Makes the function that names the answers of a route. It never throws. */
export function compileKey(route: RouteModel, warn: (message: string) => void): RequestKey {
  const own = route.cache?.key
  const key = own === undefined ? defaultKey(route) : ownKey(route, own, warn)
  const what = own === undefined ? 'The default key' : 'Its key'
  return function keyOf(req, caller) {
    try {
      const value = key(req, caller)
      if (value === NO_PART) return null
      if (typeof value === 'string' && value !== '') return value
      disown(value)
      warn(
        `${what} is ${value === '' ? 'empty' : `${String(value)}, not a string`}: the response is not cached.`,
      )
    } catch (error) {
      // Answering anew costs time; an error would cost the answer.
      warn(`${what} threw ${textOf(error)}: the response is not cached.`)
    }
    return null
  }
}

/** What was thrown, for the log. An object may have no text, and asking for it then throws once more. */
export function textOf(error: unknown): string {
  try {
    return String(error)
  } catch {
    return 'a value that has no text'
  }
}

type AnyKey = (req: BlazonRequest, caller: Caller) => unknown

/**
 * Method, path, query, and the caller where there is one. Nothing in it can be read in two ways: a path begins with a slash,
 * a caller does not, and neither holds a space.
 */
function defaultKey({ isProtected, cache }: RouteModel): AnyKey {
  if (cache?.shared === true)
    return (req) => (carriesBody(req) ? NO_PART : `GET ${pathAndQuery(req)}`)
  return (req, caller) => {
    if (carriesBody(req)) return NO_PART
    if (caller !== null) return `GET ${caller} ${pathAndQuery(req)}`
    return isProtected || carriesCredentials(req) ? NO_PART : `GET ${pathAndQuery(req)}`
  }
}

/** Where no guard has looked at credentials, the handler may do so itself. */
function ownKey(
  { isProtected, cache }: RouteModel,
  key: (req: BlazonRequest) => unknown,
  warn: (message: string) => void,
): AnyKey {
  if (isProtected || cache?.shared === true) return key
  return (req, caller) => {
    const value = key(req)
    if (caller !== null || typeof value !== 'string' || !carriesCredentials(req)) return value
    if (namesCredentials(key, req, value)) return value
    warn(UNNAMED)
    return NO_PART
  }
}

const UNNAMED =
  'A request with credentials is not cached, because its key does not contain them. ' +
  'If the response is the same for all requests with this key, set `shared: true`; otherwise put the id of the caller into the key.'

/** Headers by which somebody may be known. */
export const CREDENTIALS: readonly string[] = ['authorization', 'cookie', 'x-api-key']

/** Such a request may be answered as somebody's, whom nobody has named (RFC 9111, 3.5). */
export function carriesCredentials({ headers }: BlazonRequest): boolean {
  return (
    headers.authorization !== undefined ||
    headers.cookie !== undefined ||
    headers['x-api-key'] !== undefined
  )
}

/** A handler may look at it, and it is not in the URL (RFC 9110, 9.3.1). */
export function carriesBody({ headers }: BlazonRequest): boolean {
  const length = headers['content-length']
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined
}

/** Whether a key is another one, or none, without the credentials of its request. */
function namesCredentials(
  key: (req: BlazonRequest) => unknown,
  req: BlazonRequest,
  value: string,
): boolean {
  const headers = { ...req.headers }
  for (const name of CREDENTIALS) delete headers[name]
  const stripped = { headers, cookies: {}, signedCookies: {}, session: {} }
  const undo = Object.entries(stripped).map(([field, none]) => replace(req, field, none))
  try {
    const without = key(req)
    disown(without)
    return without !== value
  } catch {
    return true
  } finally {
    for (const each of undo) each()
  }
}

/** Puts something in the place of a field, if there is one, until what it answers with is called. */
function replace(req: BlazonRequest, field: string, value: unknown): () => void {
  if (!(field in req)) return () => {}
  // Requests of other makers, on serverless platforms for one, have headers of their own; others inherit them.
  const own = Object.getOwnPropertyDescriptor(req, field)
  if (own?.configurable === false) return () => {}
  Object.defineProperty(req, field, { value, configurable: true, writable: true })
  return () => {
    if (own === undefined) Reflect.deleteProperty(req, field)
    else Object.defineProperty(req, field, own)
  }
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
  const undo = replace(req, 'headers', headers)
  try {
    key(req)
  } catch {
    // It did not throw before; what it has read until now is what it knows.
  } finally {
    undo()
  }
  return names
}
