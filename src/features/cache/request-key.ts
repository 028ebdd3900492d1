import type { Request } from '../../contracts/handler.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { digestOf, sha256 } from '../../http/body-digest.js'
import type { Caller } from '../../http/caller.js'
import { cacheOf } from './decorator.js'

/** Returns the cache key of a request, without the tenant; `null` for a request that bypasses the cache. */
export type RequestKey = (req: Request, caller: string | null) => string | null

/** The result for a request that bypasses the cache without causing a warning. */
const BYPASS = Symbol('bypass')

/** The configuration of {@link compileKey} besides the route. */
export interface KeyConfig {
  readonly warn: (message: string) => void
  /** Additional headers, in lower case, that may identify the caller, besides `CREDENTIALS`. */
  readonly credentials: readonly string[]
}

/** Creates the function that returns the cache key of a request. The created function never throws. */
export function compileKey(route: RouteModel, config: KeyConfig): RequestKey {
  const { warn } = config
  const own = cacheOf(route)?.key
  const key = own === undefined ? defaultKey(route, config) : ownKey(route, own, config)
  const what = own === undefined ? 'The default key' : 'Its key'
  return inVersion(route, function keyOf(req, caller) {
    try {
      const value = key(req, caller)
      if (value === BYPASS) return null
      if (typeof value === 'string' && value !== '')
        return route.method === 'QUERY' ? withBody(value, req) : value
      ignoreRejection(value)
      warn(
        `${what} is ${value === '' ? 'empty' : `${String(value)}, not a string`}: the response is not cached.`,
      )
    } catch (error) {
      // Without a key, the request only bypasses the cache. Throwing an error here would prevent the response.
      warn(`${what} threw ${textOf(error)}: the response is not cached.`)
    }
    return null
  })
}

/**
 * Adds a digest of the body and its media type to the key (RFC 10008). Requests with an unparsed body bypass the cache.
 */
function withBody(key: string, req: Request): string | null {
  if (req.body === undefined && carriesBody(req)) return null
  return `${key} ${sha256(`${req.headers['content-type']}\n${digestOf(req.body)}`)}`
}

/**
 * Ignores the rejection of a promise that a function returned instead of a string. Otherwise, the unhandled rejection
 * would end the process.
 */
export function ignoreRejection(value: unknown): void {
  Promise.resolve(value).catch(() => {})
}

/**
 * Returns a thrown value as a string for the log. `String(error)` itself may throw, because some objects cannot be
 * converted to strings.
 */
export function textOf(error: unknown): string {
  try {
    return String(error)
  } catch {
    return 'a value that cannot be converted to a string'
  }
}

/**
 * Adds the API version to the key, because two versions may have the same URL. If `Accept` specifies the version, the
 * key contains the whole header, because the handler may also use the header to choose a representation.
 */
function inVersion({ version, versionHeader }: RouteModel, keyOf: RequestKey): RequestKey {
  if (version === null) return keyOf
  return (req, caller) => {
    const key = keyOf(req, caller)
    const accept = versionHeader === 'Accept' ? `${JSON.stringify(req.headers.accept ?? '')} ` : ''
    return key === null ? null : `v${version} ${accept}${key}`
  }
}

type AnyKey = (req: Request, caller: Caller) => unknown

/**
 * Creates the default key: method, path, query, and the caller if there is one. The key is unambiguous: a path begins
 * with a slash, a caller does not, and neither contains a space.
 */
function defaultKey(route: RouteModel, { credentials }: KeyConfig): AnyKey {
  const { isProtected } = route
  const isQuery = route.method === 'QUERY'
  const method = isQuery ? 'QUERY' : 'GET'
  const hidesInput = (req: Request) => !isQuery && carriesBody(req)
  if (cacheOf(route)?.shared === true)
    return (req) => (hidesInput(req) ? BYPASS : `${method} ${pathAndQuery(req)}`)
  const isCredited = credentialFinder(credentials)
  return (req, caller) => {
    if (hidesInput(req)) return BYPASS
    if (caller !== null) return `${method} ${caller} ${pathAndQuery(req)}`
    return isProtected || isCredited(req) ? BYPASS : `${method} ${pathAndQuery(req)}`
  }
}

/**
 * Wraps the route's own key function. If no code has set a user, the handler may use the request's credentials
 * directly, so the key must contain them. The same is true for protected routes: even if the guard sets no user, it has
 * allowed one specific caller.
 */
function ownKey(
  route: RouteModel,
  key: (req: Request) => unknown,
  { warn, credentials }: KeyConfig,
): AnyKey {
  if (cacheOf(route)?.shared === true) return key
  const { isProtected } = route
  const isCredited = credentialFinder(credentials)
  const names = [...CREDENTIALS, ...credentials]
  return (req, caller) => {
    const value = key(req)
    if (caller !== null || typeof value !== 'string') return value
    if (!isCredited(req)) {
      // On a protected route, the guard has identified the caller by a value that is not in a configured header, so the
      // key cannot contain it.
      if (!isProtected) return value
    } else if (keyWithout(names, key, req) !== value) return value
    warn(UNNAMED)
    return BYPASS
  }
}

const UNNAMED =
  'A request with credentials is not cached, because its key does not contain them. ' +
  'If the response is the same for all requests with this key, set `shared: true`; otherwise add the caller ID to the key.'

/** Headers that may identify the caller. */
export const CREDENTIALS: readonly string[] = ['authorization', 'cookie', 'x-api-key']

/**
 * Whether a request contains credentials. Its response may be for one caller only, even if no code has set a user (RFC
 * 9111, 3.5).
 */
function carriesCredentials({ headers }: Request): boolean {
  return (
    headers.authorization !== undefined ||
    headers.cookie !== undefined ||
    headers['x-api-key'] !== undefined
  )
}

/** Returns a variant of `carriesCredentials` that also checks the headers in `more`. */
export function credentialFinder(more: readonly string[]): (req: Request) => boolean {
  const others = more.filter((name) => !CREDENTIALS.includes(name))
  if (others.length === 0) return carriesCredentials
  return (req) => carriesCredentials(req) || others.some((name) => req.headers[name] !== undefined)
}

/** Whether a request has a body. A handler may read the body, but the body is not part of the URL (RFC 9110, 9.3.1). */
export function carriesBody({ headers }: Request): boolean {
  const length = headers['content-length']
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined
}

/**
 * Returns the key that the request would have without these credential headers; `undefined` if the key cannot be
 * computed.
 */
function keyWithout(
  names: readonly string[],
  key: (req: Request) => unknown,
  req: Request,
): unknown {
  const headers = { ...req.headers }
  for (const name of names) delete headers[name]
  const stripped = { headers, cookies: {}, signedCookies: {}, session: {} }
  const undo = Object.entries(stripped).map(([field, none]) => replace(req, field, none))
  try {
    const without = key(req)
    ignoreRejection(without)
    return without
  } catch {
    return undefined
  } finally {
    for (const each of undo) each()
  }
}

/**
 * Replaces a field of the request, if the field exists and can be replaced. Returns a function that restores the field.
 */
function replace(req: Request, field: string, value: unknown): () => void {
  if (!(field in req)) return () => {}
  // On some platforms, for example serverless platforms, requests have their own `headers` property. Other requests
  // inherit the property.
  const own = Object.getOwnPropertyDescriptor(req, field)
  if (own?.configurable === false) return () => {}
  Object.defineProperty(req, field, { value, configurable: true, writable: true })
  return () => {
    if (own === undefined) Reflect.deleteProperty(req, field)
    else Object.defineProperty(req, field, own)
  }
}

function pathAndQuery({ baseUrl, url }: Request): string {
  const mark = url.indexOf('?')
  if (mark === -1) return baseUrl + url
  const query = sortQuery(url.slice(mark + 1))
  return `${baseUrl}${url.slice(0, mark)}${query === '' ? '' : `?${query}`}`
}

/**
 * Sorts the parameters of a query by name. Parameters with the same name keep their order, because handlers receive
 * them as a list. `a`, `a[]` and `a[0]` count as the same name. The result contains names and values as they were sent,
 * because a decoded `a=1%26b=2` would be equal to `a=1&b=2`.
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

/** Compares by code unit. Any fixed order is sufficient. */
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** Characters that can make the name of a parameter in the query different from the name that is used for sorting. */
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

/**
 * Returns the names of the headers that a key function reads for this request, in lower case. To detect the names, it
 * calls the function again.
 */
export function headersReadBy(key: (req: Request) => unknown, req: Request): Set<string> {
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
    // The function did not throw on its first call. The headers that it has read so far are used.
  } finally {
    undo()
  }
  return names
}
