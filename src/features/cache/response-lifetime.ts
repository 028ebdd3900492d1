import type { OutgoingHttpHeaders } from 'node:http'
import type { Lifetime } from './cache-engine.js'
import { membersOf, textOf } from './header-list.js'

/** Directives that forbid to store a response, with or without field names (RFC 9111, 5.2.2). */
const REFUSALS = ['private', 'no-store', 'no-cache']
/** Directives that forbid to send a stale response (RFC 9111, 5.2.2.2 and 5.2.2.8). */
const NEVER_STALE = ['must-revalidate', 'proxy-revalidate']

/**
 * Matches a directive and its argument. Words within a quoted argument are not directives. An unclosed quote
 * hides no directives after it.
 */
const DIRECTIVE = /([^\s,;="]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*)))?/g

type Directives = ReadonlyMap<string, readonly string[]>

/**
 * Returns how long a response may be stored: as long as the route configures, but not longer than the headers
 * of the response allow; `null` when it must not be stored. In a shared cache, `s-maxage` overrides `max-age`,
 * which overrides `Expires` (RFC 9111, 4.2.1).
 *
 * @param now Milliseconds since 1970.
 */
export function responseLifetime(
  headers: OutgoingHttpHeaders,
  { freshMs, staleMs }: Lifetime,
  now: number,
): Lifetime | null {
  const directives = directivesOf(textOf(headers['cache-control']))
  const has = (name: string) => directives.has(name)
  if (REFUSALS.some(has)) return null
  // `Pragma` has no meaning in responses (RFC 9111, 5.4), but a handler that sends only `Pragma: no-cache` intends no
  // caching.
  if (directives.size === 0 && membersOf(headers['pragma']).some(isNoCache)) return null
  const ownMs = freshnessOf(directives, headers['expires'], now)
  if (ownMs === undefined) return { freshMs, staleMs: NEVER_STALE.some(has) ? 0 : staleMs }
  if (!(ownMs > 0)) return null
  return { freshMs: Math.min(freshMs, ownMs), staleMs: NEVER_STALE.some(has) ? 0 : staleMs }
}

const isNoCache = (member: string) => member.toLowerCase() === 'no-cache'

/**
 * Returns the freshness lifetime in milliseconds; `undefined` when the headers do not contain one. An invalid
 * value counts as 0 (RFC 9111, 4.2.1 and 5.3).
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

/** Returns all arguments of each directive, by lower-case name. */
function directivesOf(text: string): Directives {
  const found = new Map<string, string[]>()
  for (const [, name = '', quoted, token = ''] of text.matchAll(DIRECTIVE)) {
    const key = name.toLowerCase()
    found.set(key, [...(found.get(key) ?? []), quoted ?? token])
  }
  return found
}
