import { Readable } from 'node:stream'
import type { Response } from '../../contracts/handler.js'
import { setDocumentedType } from './content-type.js'
import { joinHeader } from './join-header.js'
import { destroyStream, fromWeb, isWriteOnly, type RawBody } from './raw-body.js'
import { sendStream } from './send-stream.js'

/** Headers that concern one connection (RFC 9110, 7.6.1). Node writes our own. */
const OF_THE_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Headers that describe the body before `fetch` has decoded it. */
const OF_THE_CODING = new Set(['content-encoding', 'content-length'])

/**
 * Copies status and headers of a response of the Fetch API. Of a response that `fetch` has received, the coding is left
 * out: its body is decoded.
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

/** How a raw body is sent. */
export interface RawOptions {
  readonly status: number
  /** The documented media type; `null` if there is none. It replaces another type that the handler has set. */
  readonly type: string | null
  /** The media type if nothing else names one. */
  readonly fallback: string
  /** Ends the request after an error of the stream. */
  readonly fail: (error: unknown) => void
}

/**
 * Sends a body that is not JSON.
 *
 * @throws TypeError for a response of the Fetch API whose body has been read, and for a stream without a readable side.
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
  'The handler returned a Response whose body has been read: return it unread, or a clone of it.'

const WRITE_ONLY =
  'The handler returned a stream that can only be written: return one that can be read, such as a PassThrough, or write to `res` and return `res`.'

interface Types {
  readonly documented: string | null
  /** The type that the value itself names, or the fallback. */
  readonly own: string
}

function setType(res: Response, { documented, own }: Types): void {
  if (documented !== null) setDocumentedType(res, documented)
  else if (!res.hasHeader('Content-Type')) res.setHeader('Content-Type', own)
}

function send(res: Response, stream: Readable, fail: RawOptions['fail']): void {
  // As Node's `pipe` does. The cache then finds that no code has the whole body, also if it is empty.
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
