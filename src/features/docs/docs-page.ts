import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Request, Response } from '../../contracts/handler.js'
import type { OpenApiDocument } from '../../contracts/openapi.js'

/** Immutable bytes with their media type. */
export interface Content {
  readonly type: string
  readonly bytes: Buffer
  /** The hash of the bytes, for ETags. */
  readonly hash: string
  /** Returns the gzipped bytes. They are compressed on the first call. */
  readonly gzipped: () => Promise<Buffer>
}

/** Content shorter than this is not compressed, because it fits into one packet. */
const MIN_GZIP_BYTES = 1_024

const compress = promisify(gzip)

export function createContent(type: string, body: string | Buffer): Content {
  const bytes = Buffer.from(body)
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  return { type, bytes, hash, gzipped: once(() => compress(bytes)) }
}

/**
 * Sends the content, or a 304 response if the client already has it. `headers` replaces headers with the same names
 * that were set earlier.
 */
export async function sendContent(
  [req, res]: readonly [req: Request, res: Response],
  content: Content,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const isLong = content.bytes.length >= MIN_GZIP_BYTES
  const isGzipped = isLong && req.acceptsEncodings('gzip') === 'gzip'
  res.set(headers)
  res.set('X-Content-Type-Options', 'nosniff')
  // Each encoding needs a different strong ETag.
  res.set('ETag', `"${content.hash}${isGzipped ? '-gzip' : ''}"`)
  if (isLong) res.vary('Accept-Encoding')
  if (req.fresh) {
    res.status(304).end()
    return
  }
  const body = isGzipped ? await content.gzipped() : content.bytes
  if (isGzipped) res.set('Content-Encoding', 'gzip')
  res.set({ 'Content-Type': content.type, 'Content-Length': String(body.length) })
  res.end(body)
}

/**
 * Returns a function that creates a value on its first call and stores it. If creating the value fails, the next call
 * tries again.
 */
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

/** The document of a page, and its path. */
export interface DocsSource {
  /** The path of the page, with a leading slash. The document is at `<path>.json` and `<path>.yaml`. */
  readonly path: string
  /** The version of OpenAPI. Default: `'3.0'`. */
  readonly openapi?: '3.0' | '3.1' | '3.2'
  /** The API versions, with the paths of their pages. Default: none. */
  readonly versions?: readonly { readonly name: string; readonly path: string }[]
  /** Returns the document. The page calls this once, on the first request that needs the document. */
  readonly document: () => OpenApiDocument
}

/** A page and its files. */
export interface DocsPage {
  /**
   * The page as HTML. Links to its files and to the document consist only of a query (`?icon.svg`). Browsers resolve
   * such links against the page's path, so the same bytes work under any prefix and behind any proxy.
   */
  readonly page: Content
  /** The files, by the name in the query. */
  readonly files: ReadonlyMap<string, () => Content | Promise<Content>>
  /** The Content Security Policy. */
  readonly policy: string
}
