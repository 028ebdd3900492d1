import { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { HttpError } from '../errors/http-error.js'
import { refuse } from '../errors/refuse.js'
import { kIsBodyTaken } from './symbol-fields.js'

// Node's original `on`, which does not bind listeners to the scope of the request. The listeners in this file do not
// need the scope, and entering it three times takes 4 µs on Node 20.
const { on } = IncomingMessage.prototype

type Decoder = (bytes: Buffer, options: zlib.ZlibOptions) => Promise<Buffer>

/** The part of `node:zlib` that is missing from the Node 20 types. */
interface Zstd {
  readonly zstdDecompress?: typeof zlib.gunzip
  readonly constants: { readonly ZSTD_d_windowLogMax?: number }
}

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: promisify(zlib.gunzip),
  'x-gzip': promisify(zlib.gunzip),
  deflate: promisify(zlib.inflate),
  br: promisify(zlib.brotliDecompress),
  ...zstdDecoder(zlib as Zstd),
}

function zstdDecoder({ zstdDecompress, constants }: Zstd): { zstd?: Decoder } {
  // Node 22 does not detect a truncated zstd body: it returns only a part of the data, or no data.
  if (zstdDecompress === undefined || Number.parseInt(process.versions.node, 10) < 24) return {}
  const decode: Decoder = promisify(zstdDecompress)
  // A frame could require a window of 128 MB, but senders can rely only on 8 MB (RFC 9659, section 3).
  const params = { [constants.ZSTD_d_windowLogMax as number]: 23 }
  return { zstd: (bytes, options) => decode(bytes, { ...options, params } as zlib.ZlibOptions) }
}

/** Whether the message announces a body (RFC 9112, section 6). */
export function hasBody(req: IncomingMessage): boolean {
  const length = req.headers['content-length']
  return req.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/** A message whose body can be complete before Node has reached the end of the message. */
export interface Arriving extends IncomingMessage {
  /** Whether the whole body has been read, even if Node has not reached the end of the message. */
  [kIsBodyTaken]?: boolean
}

const EMPTY: Buffer = Buffer.alloc(0)

/**
 * Returns the body if it has arrived completely, has not been read, has no content coding and has at most `limit`
 * bytes; otherwise `null`. For example, a small body can arrive in the same packet as its head. Reading it
 * synchronously saves three listeners and two promises, which took 11,000 of 250,000 instructions in an application
 * with tenants, and 4,000 without tenants.
 */
export function takeArrived(req: Arriving, limit: number): Buffer | null {
  const { 'content-length': length, 'content-encoding': coding } = req.headers
  const isWhole = req.readableLength === Number(length) && req.readableLength <= limit
  const isUntouched = req.readableFlowing === null && req.readableEncoding === null
  if (!isWhole || !isUntouched || coding !== undefined || req.destroyed) return null
  // Reads the exact length, because Node 26 returns only the first of several chunks if there is no argument.
  const bytes = req.read(Number(length)) as Buffer | null
  // Allows Node to reach the end of the message.
  req.resume()
  req[kIsBodyTaken] = bytes !== null
  return bytes
}

/**
 * Reads a whole body of at most `limit` bytes. The bytes are counted as received, and again after decompression.
 * Rejects with a 413 error as soon as the limit is exceeded or a larger length is announced, with a 415 error for an
 * unknown content coding, and with a 400 error for a body that ends early or cannot be decompressed.
 */
export function readBody(req: IncomingMessage, limit: number): Promise<Buffer> {
  const { 'content-encoding': coding, 'content-length': length } = req.headers
  if (Number(length ?? 0) > limit) return Promise.reject(tooLarge(limit))
  return coding === undefined ? collect(req, limit) : collectDecoded(req, coding, limit)
}

async function collectDecoded(
  req: IncomingMessage,
  coding: string,
  limit: number,
): Promise<Buffer> {
  const decode = decoderOf(coding.toLowerCase())
  const bytes = await collect(req, limit)
  return decode === undefined ? bytes : await decompress(decode, bytes, limit)
}

function decoderOf(coding: string): Decoder | undefined {
  if (coding === 'identity') return undefined
  if (Object.hasOwn(DECODERS, coding)) return DECODERS[coding]
  throw refuse('UNSUPPORTED_MEDIA_TYPE', 'The content coding of the body is not supported')
}

function collect(req: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A middleware has already read the whole body.
    if (req.readableEnded) return resolve(EMPTY)
    // Nearly all bodies arrive in one chunk, so the list is created only for other bodies.
    let first: Buffer | undefined
    let rest: Buffer[] | undefined
    let length = 0
    function onData(given: Buffer | string): void {
      // The chunk is a string if a middleware set an encoding.
      const chunk =
        typeof given === 'string' ? Buffer.from(given, req.readableEncoding ?? 'utf8') : given
      length += chunk.length
      if (length > limit) {
        req.off('data', onData).pause()
        reject(tooLarge(limit))
      } else if (first === undefined) first = chunk
      else {
        rest ??= [first]
        rest.push(chunk)
      }
    }
    function onEnd(): void {
      resolve(rest === undefined ? (first ?? EMPTY) : Buffer.concat(rest, length))
    }
    function onClose(): void {
      if (!req.readableEnded) reject(refuse('MALFORMED_BODY', 'The body ended early'))
    }
    // The listeners are not removed. After the end of the body, they are no longer called or do nothing. Keeping three
    // listeners takes half as long as adding and removing four (0.1 µs instead of 0.2 µs). A connection error also
    // emits `close`, and Node does not throw the `error` event without a listener.
    on.call(req, 'data', onData)
    on.call(req, 'end', onEnd)
    on.call(req, 'close', onClose)
    if (req.destroyed) onClose()
  })
}

async function decompress(decode: Decoder, bytes: Buffer, limit: number): Promise<Buffer> {
  try {
    // zlib stops at the limit, so a small compressed body cannot expand without limit.
    return await decode(bytes, { maxOutputLength: limit })
  } catch (cause) {
    const isTooLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    if (isTooLarge) throw tooLarge(limit)
    throw refuse('MALFORMED_BODY', 'The body cannot be decompressed', { cause })
  }
}

function tooLarge(limit: number): HttpError {
  return refuse('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes`)
}
