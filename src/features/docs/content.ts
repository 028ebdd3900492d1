import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Request, Response } from '../../contracts/handler.js'

/** Bytes that do not change, and what they are. */
export interface Content {
  readonly type: string
  readonly bytes: Buffer
  /** Of the bytes; stands in ETags and in URLs. */
  readonly hash: string
  /** Compressed once, with the first request that accepts it; `null` for what is not worth it. */
  readonly gzipped: (() => Promise<Buffer>) | null
}

/** Below this many bytes, the gain of compressing is lost in a packet. */
const MIN_GZIP_BYTES = 1_024

const compress = promisify(gzip)

/** @param hash Default: that of the body. */
export function createContent(
  type: string,
  body: string | Buffer,
  hash: string = contentHash(body),
): Content {
  const bytes = Buffer.from(body)
  return { type, bytes, hash, gzipped: once(() => compress(bytes)) }
}

export function contentHash(body: string | Buffer): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, 22)
}

/** Answers with the content, or with 304 where the client has it; `headers` replace what was set before. */
export async function sendContent(
  [req, res]: readonly [req: Request, res: Response],
  content: Content,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const isLong = content.bytes.length >= MIN_GZIP_BYTES
  const { gzipped } = content
  const isGzipped = isLong && gzipped !== null && req.acceptsEncodings('gzip') === 'gzip'
  res.set(headers)
  res.set('X-Content-Type-Options', 'nosniff')
  // Strong, so each encoding has its own.
  res.set('ETag', `"${content.hash}${isGzipped ? '-gzip' : ''}"`)
  if (isLong) res.vary('Accept-Encoding')
  if (req.fresh) {
    res.status(304).end()
    return
  }
  const body = isGzipped ? await gzipped() : content.bytes
  if (isGzipped) res.set('Content-Encoding', 'gzip')
  res.set({ 'Content-Type': content.type, 'Content-Length': String(body.length) })
  res.end(body)
}

/** Makes a value with the first call and keeps it, unless making it fails. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    if (made !== undefined) return made.value
    const value = make()
    made = { value }
    if (value instanceof Promise) {
      value.catch(() => {
        made = undefined
      })
    }
    return value
  }
}
