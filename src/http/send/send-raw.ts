import { finished, Readable } from 'node:stream'
import type { Response } from '../../contracts/handler.js'
import { hasLostConnection } from '../close-with-connection.js'
import { destroyStream, fromWeb, isWriteOnly, type RawBody } from './raw-body.js'
import { joinHeader, setDocumentedType } from './response-headers.js'

/** The headers that apply to a single connection (RFC 9110, 7.6.1). Node writes its own. */
const OF_THE_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The headers that describe the body before `fetch` decodes it. */
const OF_THE_CODING = new Set(['content-encoding', 'content-length'])

/**
 * Copies the status and headers of a Fetch API response. If `fetch` received the response, the content coding is
 * omitted, because the body is already decoded.
 *
 * @throws TypeError for `Response.error()`, which has no status.
 */
function copyResponseHead(from: globalThis.Response, res: Response): void {
  const { status, statusText, headers, type } = from
  if (status < 200) throw new TypeError(`A response cannot have the status ${status}.`)
  res.statusCode = status
  if (statusText !== '') res.statusMessage = statusText
  const isDecoded = type !== 'default'
  headers.forEach((value, name) => {
    if (OF_THE_CONNECTION.has(name) || (isDecoded && OF_THE_CODING.has(name))) return
    if (name !== 'set-cookie') joinHeader(res, name, value)
  })
  for (const cookie of headers.getSetCookie()) res.appendHeader('Set-Cookie', cookie)
}

/** The options for sending a raw body. */
export interface RawOptions {
  readonly status: number
  /**
   * The documented media type; `null` if there is none. It replaces a different type that the handler set, but not the
   * type of a `Response`.
   */
  readonly type: string | null
  /** The default media type. */
  readonly fallback: string
  /** Ends the request after an error of the stream. */
  readonly fail: (error: unknown) => void
}

/**
 * Sends a body that is not JSON.
 *
 * @throws TypeError for a Fetch API response whose body has been read, and for a stream without a readable side.
 */
export function sendRaw(
  res: Response,
  body: Exclude<RawBody, { kind: 'file' }>,
  options: RawOptions,
): void {
  const { status, type, fallback, fail } = options
  if (body.kind === 'bytes') {
    setType(res, { documented: type, own: fallback })
    res.status(status).send(body.bytes)
    return
  }
  if (body.kind === 'stream') {
    if (isWriteOnly(body.stream)) {
      destroyStream(body.stream)
      throw new TypeError(WRITE_ONLY)
    }
    setType(res, { documented: type, own: body.type ?? fallback })
    if (body.length !== null && !res.hasHeader('Content-Length')) {
      res.setHeader('Content-Length', body.length)
    }
    res.status(status)
    return send(res, body.stream, fail)
  }
  const { response } = body
  if (response.bodyUsed || response.body?.locked === true) throw new TypeError(READ)
  copyResponseHead(response, res)
  if (response.body === null) return send(res, Readable.from([]), fail)
  if (!res.hasHeader('Content-Type')) res.setHeader('Content-Type', type ?? fallback)
  send(res, fromWeb(response.body), fail)
}

const READ =
  'The handler returned a Response whose body has been read: return a Response with an unread body, such as a clone.'

const WRITE_ONLY =
  'The handler returned a write-only stream: return a readable stream, such as a PassThrough, or write to `res` and return `res`.'

interface Types {
  readonly documented: string | null
  /** The media type of the value itself, or the fallback. */
  readonly own: string
}

function setType(res: Response, { documented, own }: Types): void {
  if (documented !== null) setDocumentedType(res, documented)
  else if (!res.hasHeader('Content-Type')) res.setHeader('Content-Type', own)
}

function send(res: Response, stream: Readable, fail: RawOptions['fail']): void {
  // Emits `pipe`, as Node's `pipe` does. From this event, the cache detects that the body is not available as a whole,
  // even if it is empty.
  res.emit('pipe', stream)
  const { statusCode } = res
  const hasNoBody = res.req.method === 'HEAD' || [204, 205, 304].includes(statusCode)
  if (!hasNoBody) return sendStream(res, stream, fail)
  destroyStream(stream)
  if (res.req.method !== 'HEAD') {
    for (const name of ['Content-Type', 'Content-Length']) res.removeHeader(name)
  }
  res.end()
}

/**
 * Sends a stream as a body, with backpressure, and destroys the stream when the client disconnects. `pipe` would not
 * destroy the stream in all cases, and would leave the response open after a stream error. A body that is shorter than
 * its `Content-Length` is also an error, because the client would wait for the rest (RFC 9112, 6.3).
 *
 * @param fail Called once if the stream fails, does not match the `Content-Length`, or cannot be written. Before the
 * first byte, the response can still be an error.
 */
export function sendStream(res: Response, stream: Readable, fail: (error: unknown) => void): void {
  if (res.closed || hasLostConnection(res)) return destroyStream(stream)
  const length = statedLength(res)
  let sent = 0
  let isOver = false
  const stop = () => {
    isOver = true
    res.off('drain', resume).off('close', abort)
  }
  const end = (error?: unknown) => {
    if (isOver) return
    stop()
    const hasEnded = error === undefined || error === null
    if (hasEnded && (length === null || sent === length)) return void res.end()
    destroyStream(stream)
    fail(hasEnded ? new TypeError(otherLength(`${sent}`, length)) : error)
  }
  const write = (chunk: unknown) => {
    if (isOver) return
    try {
      if (!isChunk(chunk)) throw new TypeError(notBytes(chunk))
      sent += Buffer.byteLength(chunk)
      // The client would interpret extra bytes as the beginning of the next response.
      if (length !== null && sent > length) throw new TypeError(otherLength('too many', length))
      if (!res.write(chunk)) stream.pause()
    } catch (error) {
      // The head is invalid, or the stream contains objects. An error that is thrown in a listener would not be caught.
      end(error)
    }
  }
  function resume(): void {
    stream.resume()
  }
  function abort(): void {
    stop()
    destroyStream(stream)
  }
  res.on('drain', resume).on('close', abort)
  // With `writable: false`, only the readable side of a socket or a transform has to end.
  finished(stream, { writable: false }, end)
  // If the handler also piped the stream into the response, each chunk would be written twice.
  stream.unpipe?.(res)
  // The stream can be paused, so it must be resumed here.
  stream.on('data', write).resume()
}

/** Returns the `Content-Length` that the handler set, in bytes; `null` if there is none. */
function statedLength(res: Response): number | null {
  const stated = String(res.getHeader('Content-Length'))
  return /^\d+$/.test(stated) ? Number(stated) : null
}

function otherLength(sent: string, stated: number | null): string {
  return `The handler returned a body of ${sent} bytes with a Content-Length of ${stated}: omit this header, or correct it.`
}

function isChunk(chunk: unknown): chunk is string | Uint8Array {
  return typeof chunk === 'string' || chunk instanceof Uint8Array
}

function notBytes(chunk: unknown): string {
  const kind = chunk === null ? 'null' : typeof chunk
  return `The handler returned a stream whose chunks are neither text nor bytes, but ${kind}: convert them, for example to lines of JSON.`
}
