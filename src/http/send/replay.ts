import type { Response } from '../../contracts/handler.js'
import { kAdded } from '../symbol-fields.js'
import { indexOfHeader } from './response-headers.js'
import {
  isUntouched,
  JSON_LINE,
  JSON_TYPE,
  type OwnHeaders,
  type StaticHeaders,
  wireText,
  writeFlatHead,
} from './wire-text.js'

/** A response that was stored to be sent again. */
export interface StoredResponse {
  /** The status. Default 200. */
  readonly status?: number
  /** The headers that describe the body: names and values, alternating. */
  readonly headers: readonly string[]
  /** The body, as a string or as bytes. */
  readonly body: string | Uint8Array
}

const kReplay = Symbol('replay')

/** The method that this file adds to every response. */
interface Replaying {
  /**
   * Sends a stored response on the fast path. Returns `false`, and does not send the response, if a middleware or a
   * handler could detect the difference, or if the stored headers require the slow path.
   */
  readonly [kReplay]: (stored: StoredResponse) => boolean
}

/**
 * Sends a stored response. For `HEAD` requests, it is sent without its body. A client that already has the content
 * receives a 304 response (RFC 9110, 13.1). Headers that middlewares set for this request are kept, and names in `Vary`
 * are merged. A step that calls this function must return `res`.
 *
 * @param res A response of a Blazon application.
 * @param stored The body, with the headers that describe it.
 * @throws Error if a response has already been sent.
 * @example
 * const sendStored: StepFactory = (next) => (req, res) => {
 *   const stored = entries.get(req.originalUrl)
 *   if (stored === undefined) return next(req, res)
 *   replayResponse(res, stored)
 *   return res
 * }
 */
export function replayResponse(res: Response, stored: StoredResponse): void {
  const { status = 200, headers } = stored
  res.statusCode = status
  // A 204 response has neither a body nor a `Content-Length` (RFC 9110, 8.6).
  const hasBody = status !== 204
  if (hasBody && (res as Response & Replaying)[kReplay](stored)) return
  for (let i = 0; i < headers.length; i += 2) {
    const [name, value] = [headers[i] as string, headers[i + 1] as string]
    const key = name.toLowerCase()
    if (key === 'vary') res.vary(value)
    else if (key === 'set-cookie') res.appendHeader(name, value)
    else res.setHeader(name, value)
  }
  if (res.req.fresh) {
    res.statusCode = 304
    res.removeHeader('Content-Type')
    res.end()
    return
  }
  if (!hasBody) return void res.end()
  const body = wireBody(stored)
  res.setHeader('Content-Length', Buffer.byteLength(body))
  // Node drops the body of a response to `HEAD`. But a middleware may have replaced `end`, and it must not change the
  // stored bytes.
  if (res.req.method === 'HEAD') res.end()
  else res.end(typeof stored.body === 'string' ? body : Buffer.from(stored.body))
}

function wireBody({ body }: StoredResponse): string | Uint8Array {
  return typeof body === 'string' ? wireText(body) : body
}

/** The headers that make a stored response depend on the request, and `Content-Length`, which is always written. */
const NOT_FLAT = ['etag', 'last-modified', 'vary', 'content-length']

/**
 * Adds the fast path for stored responses to an application's responses. It writes the head in one call, as `res.json`
 * does.
 */
export function defineReplay(prototype: Response, { text, byName }: StaticHeaders): void {
  const isPlain = ({ [kAdded]: added }: OwnHeaders, headers: readonly string[]): boolean => {
    for (let i = 0; i < headers.length; i += 2) {
      const name = headers[i] as string
      if (name === 'Content-Type') continue
      const key = name.toLowerCase()
      if (NOT_FLAT.includes(key) || byName.has(key)) return false
      if (added !== null && indexOfHeader(added, name) >= 0) return false
    }
    return true
  }
  const value = function replayFlat(this: Response & OwnHeaders, stored: StoredResponse): boolean {
    const { headers } = stored
    if (!isUntouched(this, prototype) || !isPlain(this, headers)) return false
    const isJson = headers.length === 2 && headers[0] === 'Content-Type' && headers[1] === JSON_TYPE
    const head: unknown[] = isJson ? [] : [...headers]
    const body = wireBody(stored)
    head.push('Content-Length', Buffer.byteLength(body))
    writeFlatHead(this, isJson ? text + JSON_LINE : text, head)
    this.end(body)
    return true
  }
  Object.defineProperty(prototype, kReplay, { value })
}
