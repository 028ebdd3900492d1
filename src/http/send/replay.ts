import type { Response } from '../../contracts/handler.js'
import { isUntouched, JSON_LINE, JSON_TYPE, writeFlatHead } from './flat-head.js'
import type { OwnHeaders } from './response-headers.js'
import type { StaticHeaders } from './static-headers.js'

/** A stored response, as its handler sent it. */
export interface KeptResponse {
  /** Names and values, alternating. */
  readonly headers: readonly string[]
  readonly body: string | Uint8Array
}

/** The headers that the cache adds to a stored response. */
export interface KeptNotes {
  readonly state: 'HIT' | 'STALE'
  /** Whole seconds since the response was made. */
  readonly age: number
}

const kReplay = Symbol('replay')

/** The method that this file adds to every response. */
interface Replaying {
  /**
   * Sends a stored response by the fast path. Returns `false`, and sends nothing, if other code could notice the
   * difference.
   */
  readonly [kReplay]: (kept: KeptResponse, notes: KeptNotes | null) => boolean
}

/**
 * Sends a stored response: to `HEAD` without its body, and as 304 to a client that has it already (RFC 9110, 13.1).
 * Headers that middlewares have set for this request stay.
 *
 * @param notes `X-Cache` and `Age`; `null` for neither.
 */
export function replay(res: Response, kept: KeptResponse, notes: KeptNotes | null): void {
  res.statusCode = 200
  if ((res as Response & Replaying)[kReplay](kept, notes)) return
  const { headers, body } = kept
  for (let i = 0; i < headers.length; i += 2) {
    const [name, value] = [headers[i] as string, headers[i + 1] as string]
    if (name === 'Vary') res.vary(value)
    else res.setHeader(name, value)
  }
  if (notes !== null) res.setHeader('X-Cache', notes.state).setHeader('Age', String(notes.age))
  if (res.req.fresh) {
    res.statusCode = 304
    res.removeHeader('Content-Type')
    res.end()
    return
  }
  res.setHeader('Content-Length', lengthOf(body))
  // Node drops the body of a response to HEAD, but a middleware may have replaced `end`. The stored bytes must not be
  // changed by it either.
  if (res.req.method === 'HEAD') res.end()
  else res.end(typeof body === 'string' ? body : Buffer.from(body))
}

function lengthOf(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
}

/** With one of these headers, a stored response also depends on the request. */
const CONDITIONAL = ['ETag', 'Last-Modified', 'Vary']

/**
 * Gives the responses of an application the fast path for stored responses. It writes the head in one call, as
 * `res.json` does.
 */
export function defineReplay(prototype: Response, { text, byName }: StaticHeaders): void {
  const isPlain = (headers: readonly string[]): boolean => {
    for (let i = 0; i < headers.length; i += 2) {
      const name = headers[i] as string
      if (name === 'Content-Type') continue
      if (CONDITIONAL.includes(name) || byName.has(name.toLowerCase())) return false
    }
    return true
  }
  const value = function replayFlat(
    this: Response & OwnHeaders,
    { headers, body }: KeptResponse,
    notes: KeptNotes | null,
  ): boolean {
    if (!isUntouched(this, prototype) || !isPlain(headers)) return false
    const isJson = headers.length === 2 && headers[0] === 'Content-Type' && headers[1] === JSON_TYPE
    const head: unknown[] = isJson ? [] : [...headers]
    head.push('Content-Length', lengthOf(body))
    if (notes !== null) head.push('X-Cache', notes.state, 'Age', String(notes.age))
    writeFlatHead(this, isJson ? text + JSON_LINE : text, head)
    this.end(body)
    return true
  }
  Object.defineProperty(prototype, kReplay, { value })
}
