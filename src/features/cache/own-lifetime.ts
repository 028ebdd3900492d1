import type { OutgoingHttpHeaders } from 'node:http'
import type { Lifetime } from './cache-engine.js'
import { membersOf, textOf } from './header-list.js'

/** Directives by which an answer refuses to be kept, with fields or without (RFC 9111, 5.2.2). */
const REFUSALS = ['private', 'no-store', 'no-cache']
/** Those by which it refuses to be given once its time is over (RFC 9111, 5.2.2.2 and 5.2.2.8). */
const NEVER_STALE = ['must-revalidate', 'proxy-revalidate']

/** Names and arguments; the words within a quoted argument are none. A quote that never ends hides nothing. */
const DIRECTIVE = /([^\s,;="]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*)))?/g

type Directives = ReadonlyMap<string, readonly string[]>

/**
 * How long an answer may be kept: as long as its route says, and no longer than its own headers do; `null` for not at all. In a
 * cache that is shared, `s-maxage` goes before `max-age`, and that before `Expires` (RFC 9111, 4.2.1).
 *
 * @param now Milliseconds since 1970.
 */
export function ownLifetime(
  headers: OutgoingHttpHeaders,
  { freshMs, staleMs }: Lifetime,
  now: number,
): Lifetime | null {
  const directives = directivesOf(textOf(headers['cache-control']))
  const has = (name: string) => directives.has(name)
  if (REFUSALS.some(has)) return null
  // Of answers it means nothing (RFC 9111, 5.4); but who writes it alone wants one thing.
  if (directives.size === 0 && membersOf(headers['pragma']).some(isNoCache)) return null
  const ownMs = freshnessOf(directives, headers['expires'], now)
  if (ownMs === undefined) return { freshMs, staleMs: NEVER_STALE.some(has) ? 0 : staleMs }
  if (!(ownMs > 0)) return null
  return { freshMs: Math.min(freshMs, ownMs), staleMs: NEVER_STALE.some(has) ? 0 : staleMs }
}

const isNoCache = (member: string) => member.toLowerCase() === 'no-cache'

/** Milliseconds; `undefined` where an answer says nothing of it. What cannot be read is no time at all (RFC 9111, 4.2.1 and 5.3). */
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

/** By lower-case name: each of the arguments that it is given. */
function directivesOf(text: string): Directives {
  const found = new Map<string, string[]>()
  for (const [, name = '', quoted, token = ''] of text.matchAll(DIRECTIVE)) {
    const key = name.toLowerCase()
    found.set(key, [...(found.get(key) ?? []), quoted ?? token])
  }
  return found
}
