import type { Response } from '../../contracts/handler.js'
import type { OwnHeaders } from './response-headers.js'
import { isUntouched, JSON_LINE, JSON_TYPE, writeFlatHead } from './send-json.js'
import type { StaticHeaders } from './static-headers.js'

/** An answer that was kept, as its handler gave it. */
export interface KeptAnswer {
  /** Names and values, alternating. */
  readonly headers: readonly string[]
  readonly body: string | Uint8Array
}

/** What an answer says of its own keeping. */
export interface KeptNotes {
  readonly state: 'HIT' | 'STALE'
  /** Whole seconds since it was made. */
  readonly age: number
}

const kReplay = Symbol('replay')

/** Fields of ours on every response. */
interface Replaying {
  /** Sends a kept answer without setting headers, unless something speaks against it. */
  readonly [kReplay]: (answer: KeptAnswer, notes: KeptNotes | null) => boolean
}

/**
 * Answers with what was kept, to `HEAD` without its body, and with 304 to a client that has it. What middlewares have
 * made of this request's own answer stays.
 *
 * @param notes `X-Cache` and `Age`; `null` for none.
 */
export function replay(res: Response, answer: KeptAnswer, notes: KeptNotes | null): void {
  res.statusCode = 200
  if ((res as Response & Replaying)[kReplay](answer, notes)) return
  const { headers, body } = answer
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
  // Whoever has patched `end` may write into what it is given.
  if (res.req.method === 'HEAD') res.end()
  else res.end(typeof body === 'string' ? body : Buffer.from(body))
}

function lengthOf(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
}

/** Headers that make an answer depend on the request once more. */
const CONDITIONAL = ['ETag', 'Last-Modified', 'Vary']

/** A kept answer has nothing left to decide, and its head is as flat as that of `json`. */
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
    { headers, body }: KeptAnswer,
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
