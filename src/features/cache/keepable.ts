import type { OutgoingHttpHeaders } from 'node:http'
import type { RouteModel } from '../../contracts/route-model.js'
import type { BlazonRequest } from '../../http/request.js'
import type { Captured } from './capture-answer.js'
import { headersReadBy } from './request-key.js'

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

/** Directives of `Cache-Control` by which a handler refuses (RFC 9111, 5.2.2). */
const REFUSALS = ['private', 'no-store', 'no-cache']

/** What may be kept of an answer. */
export interface Kept {
  /** Names and values, alternating. */
  readonly headers: readonly string[]
  readonly body: string | Uint8Array
}

/** What is known beside the answer itself. */
export interface AnswerFacts {
  readonly req: BlazonRequest
  readonly answer: Captured
  /** Headers that were there before the handler: those of middlewares, which will set them again. */
  readonly before: OutgoingHttpHeaders
  /** Those that are there in the end: middlewares add some with the head. */
  readonly after: OutgoingHttpHeaders
  readonly status: number
}

/** Decides what of a route's answers is kept: `null` for nothing. */
export function compileKeepable(
  { cache, headers: constant }: RouteModel,
  warn: (message: string) => void,
): (facts: AnswerFacts) => Kept | null {
  const declared = [...(cache?.headers ?? []), ...(constant ?? []).map(([name]) => name)]
  const names = new Map([...OF_THE_BODY, ...declared].map((name) => [name.toLowerCase(), name]))
  return function keepable({ req, answer, before, after, status }) {
    const { body, headers } = answer
    const size = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
    if (status !== 200 || size > MAX_BYTES) return null
    if (headers['set-cookie'] !== undefined || after['set-cookie'] !== undefined) return null
    if ((textOf(headers['content-encoding']) || 'identity') !== 'identity') return null
    if (
      listOf(headers['cache-control']).some((part) =>
        REFUSALS.includes(part.split('=')[0] as string),
      )
    )
      return null
    const others = listOf(before['vary'])
    const vary = membersOf(headers['vary']).filter((name) => !others.includes(name.toLowerCase()))
    if (vary.length > 0 && !isKeyed(vary, req, cache?.key)) return null
    const kept: string[] = []
    for (const [name, value] of Object.entries(headers)) {
      const text = name === 'vary' ? vary.join(', ') : textOf(value)
      if (text === '' || textOf(before[name]) === textOf(value)) continue
      const written = names.get(name)
      if (written !== undefined) kept.push(written, text)
      else if (!OF_THE_EXCHANGE.test(name)) warn(dropped(name))
    }
    return { headers: Object.freeze(kept), body }
  }
}

/** Whether an answer that depends on these headers has a key that does, too. */
function isKeyed(
  vary: readonly string[],
  req: BlazonRequest,
  key: ((req: BlazonRequest) => unknown) | undefined,
): boolean {
  if (key === undefined || vary.includes('*')) return false
  const known = headersReadBy(key, req)
  return vary.every((name) => known.has(name.toLowerCase()))
}

function dropped(name: string): string {
  return (
    `It sets the header '${name}', which answers from the cache do not carry. ` +
    'If it is the same for everybody who shares the key, name it in `headers` of @Cache.'
  )
}

/** Members of a header that is a list, in lower case. */
function listOf(value: OutgoingHttpHeaders[string]): string[] {
  return membersOf(value).map((member) => member.toLowerCase())
}

function membersOf(value: OutgoingHttpHeaders[string]): string[] {
  return textOf(value)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function textOf(value: OutgoingHttpHeaders[string]): string {
  return Array.isArray(value) ? value.join(', ') : String(value ?? '')
}
