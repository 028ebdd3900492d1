import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { codedError, type HttpError } from '../errors/http-error.js'

const DECODERS = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
} as const

/** Whether the message announces a body (RFC 9112, section 6). */
export function hasBody(req: IncomingMessage): boolean {
  const length = req.headers['content-length']
  return req.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/**
 * Reads a whole body of at most `limit` bytes, counted on the wire and again after decompression.
 * Rejects with 413 as soon as the limit is passed, announced or not; with 415 for a content coding
 * we do not know; with 400 for a body that ends early or does not decompress.
 */
export async function readBody(req: IncomingMessage, limit: number): Promise<Buffer> {
  const decode = decoderOf(req)
  if (Number(req.headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
  const bytes = await collect(req, limit)
  return decode === undefined ? bytes : await decompress(decode, bytes, limit)
}

type Decoder = (typeof DECODERS)[keyof typeof DECODERS]

function decoderOf(req: IncomingMessage): Decoder | undefined {
  const coding = req.headers['content-encoding']?.toLowerCase()
  if (coding === undefined || coding === 'identity') return undefined
  if (Object.hasOwn(DECODERS, coding)) return DECODERS[coding as keyof typeof DECODERS]
  throw codedError('UNSUPPORTED_MEDIA_TYPE', 'The content coding of the body is not supported')
}

function collect(req: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Nearly every body arrives in one piece; the list is made for the others.
    let first: Buffer | undefined
    let rest: Buffer[] | undefined
    let length = 0
    function onData(chunk: Buffer): void {
      length += chunk.length
      if (length > limit) return finish(tooLarge(limit))
      if (first === undefined) first = chunk
      else {
        rest ??= [first]
        rest.push(chunk)
      }
    }
    function onEnd(): void {
      finish(undefined)
    }
    function onClose(): void {
      if (!req.complete) finish(codedError('MALFORMED_BODY', 'The body ended early'))
    }
    function finish(error: Error | undefined): void {
      req.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose)
      if (error !== undefined) {
        req.pause()
        reject(error)
      } else resolve(rest === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(rest, length))
    }
    // A middleware that has read everything leaves nothing to wait for.
    if (req.readableEnded) return resolve(Buffer.alloc(0))
    req.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose)
    if (req.destroyed) onClose()
  })
}

async function decompress(decode: Decoder, bytes: Buffer, limit: number): Promise<Buffer> {
  try {
    // zlib stops at the limit, so that a small body cannot become a large one.
    return (await decode(bytes, { maxOutputLength: limit })) as Buffer
  } catch (cause) {
    const isTooLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    if (isTooLarge) throw tooLarge(limit)
    throw codedError('MALFORMED_BODY', 'The body does not decompress', { cause })
  }
}

function tooLarge(limit: number): HttpError {
  return codedError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes`)
}
