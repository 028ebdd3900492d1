import type { OutgoingHttpHeaders } from 'node:http'
import type { RouteModel } from '../../contracts/route-model.js'
import type { BlazonRequest } from '../../http/request.js'
import type { Lifetime } from './cache-engine.js'
import type { Captured } from './capture-response.js'
import { textOf } from './header-list.js'
import { ownLifetime } from './own-lifetime.js'
import { unkeyedOf, varyingOf } from './varies-by.js'

const MAX_BYTES = 1024 * 1024

/** Headers that describe the body; all others describe one exchange, and are made anew for each. */
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

/** What nobody misses on an answer that was kept: it belongs to one exchange, and some of it would lie in another. */
const OF_THE_EXCHANGE =
  /^(?:age|connection|content-length|date|expires|keep-alive|pragma|retry-after|server|server-timing|traceparent|transfer-encoding|x-cache|x-powered-by|x-response-time|(?:x-)?(?:request|correlation|trace)-?id|(?:x-)?ratelimit(?:-.*)?|access-control-.*)$/

/** What may be kept of an answer. */
export interface Kept {
  /** Names and values, alternating. */
  readonly headers: readonly string[]
  readonly body: string | Uint8Array
  readonly lifetime: Lifetime
}

/** What is known beside the answer itself. */
export interface ResponseFacts {
  readonly req: BlazonRequest
  readonly answer: Captured
  /** Headers that were there before the handler: those of middlewares, which will set them again. */
  readonly before: OutgoingHttpHeaders
  /** Those that are there in the end, because middlewares add some with the head; and those of a request that was answered before. */
  readonly later: readonly OutgoingHttpHeaders[]
  readonly status: number
  /** Milliseconds since 1970. */
  readonly now: number
}

/** What is the same for all answers of a route. */
export interface KeepableConfig {
  readonly route: RouteModel
  readonly lifetime: Lifetime
  readonly warn: (message: string) => void
}

/** Decides what of a route's answers is kept, and how long: `null` for nothing. */
export function compileKeepable({
  route: { cache, headers: constant },
  lifetime,
  warn,
}: KeepableConfig): (facts: ResponseFacts) => Kept | null {
  const declared = [...(cache?.headers ?? []), ...(constant ?? []).map(([name]) => name)]
  const names = new Map([...OF_THE_BODY, ...declared].map((name) => [name.toLowerCase(), name]))
  return function keepable({ req, answer, before, later, status, now }) {
    const { body, headers } = answer
    const all = [headers, ...later]
    if (status !== 200 || !isWholeBody(answer) || all.some(setsCookie)) return null
    const own = all.reduce<Lifetime | null>(
      (shortest, each) => shortest && ownLifetime(each, shortest, now),
      lifetime,
    )
    if (own === null) return null
    const varying = varyingOf({ before, answered: headers, later })
    const unkeyed = unkeyedOf(varying.names, req, cache?.key)
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

/** In no coding of its own, and not too large. */
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
    `The header Vary of its response names ${list}, which its key does not read: the response is not cached. ` +
    'Give @Cache a `key` that reads it from the request, together with `req.originalUrl`; or remove it from `Vary`.'
  )
}

function dropped(name: string): string {
  return (
    `It sets the header '${name}', which cached responses do not carry. ` +
    'If it is the same for all requests with this key, name it in `headers` of @Cache.'
  )
}
