import type { OutgoingHttpHeaders } from 'node:http'
import type { Request } from '../../contracts/handler.js'
import type { RouteModel } from '../../contracts/route-model.js'
import type { Lifetime } from './cache-engine.js'
import type { Captured } from './capture-response.js'
import { cacheOf } from './decorator.js'
import { headersReadBy } from './request-key.js'

const MAX_BYTES = 1024 * 1024

/**
 * Headers that describe the body and are stored with it. Other headers that a handler sets are stored only if the route
 * declares them.
 */
const OF_THE_BODY = [
  'Content-Type',
  'Content-Language',
  'Content-Disposition',
  'Cache-Control',
  'ETag',
  'Last-Modified',
  'Link',
  'Vary',
]

/**
 * Headers that are omitted without a warning, because they describe a single exchange of request and response. In
 * another exchange, some of them would be incorrect.
 */
const OF_THE_EXCHANGE =
  /^(?:age|connection|content-length|date|expires|keep-alive|pragma|retry-after|server|server-timing|traceparent|transfer-encoding|x-cache|x-powered-by|x-response-time|(?:x-)?(?:request|correlation|trace)-?id|(?:x-)?ratelimit(?:-.*)?|access-control-.*)$/

/** The part of a response that may be stored. */
export interface StorableResponse {
  /** Header names and values, alternating. */
  readonly headers: readonly string[]
  readonly body: string | Uint8Array
  readonly lifetime: Lifetime
}

/** A captured response, with all data that decides whether it can be stored. */
export interface ResponseFacts {
  readonly req: Request
  readonly response: Captured
  /** The headers that middlewares had set before the handler ran. */
  readonly before: OutgoingHttpHeaders
  /**
   * The headers after the end of the response, because some middlewares add headers only when the head is written. For
   * a background refresh, the list also contains the headers of the stale response that was sent.
   */
  readonly later: readonly OutgoingHttpHeaders[]
  readonly status: number
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The configuration that is the same for all responses of a route. */
export interface KeepableConfig {
  readonly route: RouteModel
  readonly lifetime: Lifetime
  readonly warn: (message: string) => void
}

/**
 * Creates the function that decides which part of a response is stored, and for how long. The created function returns
 * `null` if nothing is to be stored.
 */
export function compileKeepable({
  route,
  lifetime,
  warn,
}: KeepableConfig): (facts: ResponseFacts) => StorableResponse | null {
  const { headers: constant, produces, versionHeader } = route
  const { headers: ofDecorator = [], key } = cacheOf(route) ?? {}
  const declared = [...ofDecorator, ...(constant ?? []).map(([name]) => name)]
  const names = new Map([...OF_THE_BODY, ...declared].map((name) => [name.toLowerCase(), name]))
  // The key contains the version, so `Vary` can list the header that specifies the version.
  const ofVersion = versionHeader?.toLowerCase()
  return function keepable({ req, response, before, later, status, now }) {
    const { body, headers } = response
    const all = [headers, ...later]
    if (status !== 200 || !isWholeBody(response) || all.some(setsCookie)) return null
    const own = all.reduce<Lifetime | null>(
      (shortest, each) => shortest && responseLifetime(each, shortest, now),
      lifetime,
    )
    if (own === null) return null
    const varying = varyingOf({ before, ended: headers, later })
    // The key of a `@Produces` route contains the media type that was selected by `Accept`.
    const varied = varying.names.filter(
      (name) => name.toLowerCase() !== ofVersion && (produces === null || !/^accept$/i.test(name)),
    )
    const unkeyed = unkeyedOf(varied, req, key)
    if (unkeyed.length > 0) {
      if (!unkeyed.includes('*')) warn(varies(unkeyed))
      return null
    }
    const kept: string[] = []
    for (const [name, value] of Object.entries(headers)) {
      const text = name === 'vary' ? varying.own.join(', ') : textOf(value)
      if (text === '' || textOf(before[name]) === textOf(value)) continue
      const written = names.get(name)
      if (written !== undefined) kept.push(written, text)
      else if (!OF_THE_EXCHANGE.test(name)) warn(dropped(name))
    }
    return { headers: Object.freeze(kept), body, lifetime: own }
  }
}

/** Whether the body is small enough to be stored, and has no content coding. */
function isWholeBody({ body, headers }: Captured): boolean {
  const size = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  return size <= MAX_BYTES && (textOf(headers['content-encoding']) || 'identity') === 'identity'
}

function setsCookie(headers: OutgoingHttpHeaders): boolean {
  return headers['set-cookie'] !== undefined
}

function varies(names: readonly string[]): string {
  const list = names.map((name) => `'${name}'`).join(', ')
  return (
    `The Vary header of its response lists ${list}, which its key does not read, so the response is not cached. ` +
    'Pass @Cache a `key` that reads every listed header and `req.originalUrl`; or remove these headers from `Vary`.'
  )
}

function dropped(name: string): string {
  return (
    `It sets the header '${name}', which cached responses do not contain. ` +
    'If the header is the same for all requests with this key, list it in `headers` of @Cache.'
  )
}

/**
 * Request headers that affect only the response headers or the content coding that middlewares add: the origin for
 * CORS, and the accepted codings. The stored body does not depend on these headers.
 */
const OF_EACH_RESPONSE = [
  'origin',
  'accept-encoding',
  'access-control-request-method',
  'access-control-request-headers',
]

/** The names in the `Vary` header of a response. */
interface Varying {
  /** The names that the handler itself added. They are stored with the response. */
  readonly own: readonly string[]
  /** All names that the stored response depends on. */
  readonly names: readonly string[]
}

/** The headers that can contain `Vary`, at three points in time. */
interface VaryPlaces {
  /** Before the handler runs. */
  readonly before: OutgoingHttpHeaders
  /** When the handler ends the response. */
  readonly ended: OutgoingHttpHeaders
  /** After the handler has ended the response. */
  readonly later: readonly OutgoingHttpHeaders[]
}

/**
 * Reads the response's `Vary` header at the three points in time. Names in `OF_EACH_RESPONSE` are omitted, unless the
 * handler itself has added them.
 */
function varyingOf({ before, ended, later }: VaryPlaces): Varying {
  const earlier = membersOf(before['vary']).map((name) => name.toLowerCase())
  const own = membersOf(ended['vary']).filter((name) => !earlier.includes(name.toLowerCase()))
  const others = [before, ...later]
    .flatMap(({ vary }) => membersOf(vary))
    .filter((name) => !OF_EACH_RESPONSE.includes(name.toLowerCase()))
  const byName = new Map([...others, ...own].map((name) => [name.toLowerCase(), name]))
  return { own, names: [...byName.values()] }
}

/**
 * Returns the names that the key function does not read, or all names if the route has no key function. `*` is always
 * returned, because no key function can cover it.
 */
function unkeyedOf(
  names: readonly string[],
  req: Request,
  key: ((req: Request) => unknown) | undefined,
): readonly string[] {
  if (names.length === 0 || key === undefined) return names
  const known = headersReadBy(key, req)
  return names.filter((name) => !known.has(name.toLowerCase()))
}

/**
 * Directives that prevent storing a response, with or without field names (RFC 9111, 5.2.2). `no-cache` is one of them,
 * because this cache never validates an entry.
 */
const REFUSALS = ['private', 'no-store', 'no-cache']
/** Directives that forbid sending a stale response (RFC 9111, 5.2.2.2 and 5.2.2.8). */
const NEVER_STALE = ['must-revalidate', 'proxy-revalidate']

/**
 * Matches a directive and its argument. Words within a quoted argument are not directives. Directives after an unclosed
 * quote are still found.
 */
const DIRECTIVE = /([^\s,;="]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*)))?/g

type Directives = ReadonlyMap<string, readonly string[]>

/**
 * Returns how long a response can be stored: the route's lifetime, shortened to the lifetime that the response headers
 * allow; `null` if the response must not be stored. In a shared cache, `s-maxage` overrides `max-age`, which overrides
 * `Expires` (RFC 9111, 4.2.1).
 *
 * @param now Milliseconds since 1970.
 */
function responseLifetime(
  headers: OutgoingHttpHeaders,
  { freshMs, staleMs }: Lifetime,
  now: number,
): Lifetime | null {
  const directives = directivesOf(textOf(headers['cache-control']))
  const has = (name: string) => directives.has(name)
  if (REFUSALS.some(has)) return null
  // `Pragma` has no meaning in responses (RFC 9111, 5.4), but a handler that sends only `Pragma: no-cache` does so to
  // prevent caching.
  if (directives.size === 0 && membersOf(headers['pragma']).some(isNoCache)) return null
  const ownMs = freshnessOf(directives, headers['expires'], now)
  if (ownMs === undefined) return { freshMs, staleMs: NEVER_STALE.some(has) ? 0 : staleMs }
  if (!(ownMs > 0)) return null
  return { freshMs: Math.min(freshMs, ownMs), staleMs: NEVER_STALE.some(has) ? 0 : staleMs }
}

const isNoCache = (member: string) => member.toLowerCase() === 'no-cache'

/**
 * Returns the freshness lifetime in milliseconds; `undefined` if the headers do not specify it. An invalid value counts
 * as 0 (RFC 9111, 4.2.1 and 5.3).
 */
function freshnessOf(
  directives: Directives,
  expires: OutgoingHttpHeaders[string],
  now: number,
): number | undefined {
  const given = directives.get('s-maxage') ?? directives.get('max-age')
  if (given !== undefined) return 1000 * Math.min(...given.map(secondsOf))
  if (expires === undefined) return undefined
  const time = Date.parse(textOf(expires))
  return Number.isNaN(time) || !/[a-z]/i.test(textOf(expires)) ? 0 : time - now
}

function secondsOf(argument: string): number {
  return /^\d+$/.test(argument) ? Number(argument) : 0
}

/** Returns all arguments of every directive, by lower-case name. */
function directivesOf(text: string): Directives {
  const found = new Map<string, string[]>()
  for (const [, name = '', quoted, token = ''] of text.matchAll(DIRECTIVE)) {
    const key = name.toLowerCase()
    found.set(key, [...(found.get(key) ?? []), quoted ?? token])
  }
  return found
}

type HeaderValue = OutgoingHttpHeaders[string]

/** Returns the members of a list header. The header can have several lines. */
function membersOf(value: HeaderValue): string[] {
  return textOf(value)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** Returns a header as one line. Several lines have the same meaning (RFC 9110, 5.3). */
function textOf(value: HeaderValue): string {
  return Array.isArray(value) ? value.join(', ') : String(value ?? '')
}
