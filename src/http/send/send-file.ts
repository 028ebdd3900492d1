import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Response } from '../../contracts/handler.js'
import { refuse } from '../../errors/refuse.js'
import { hasLostConnection } from '../close-with-connection.js'
import type { BlazonRequest } from '../request.js'
import { kHasFailed } from '../symbol-fields.js'
import { openFile } from './open-file.js'
import {
  type ByteRange,
  failsPrecondition,
  isNotModified,
  matchesIfRange,
  readRange,
  type Validators,
} from './preconditions.js'
import {
  destroyStream,
  type FileContent,
  type FileParts,
  type FileResponse,
  fromWeb,
  partsOf,
} from './raw-body.js'
import { setDocumentedType } from './response-headers.js'
import { sendStream } from './send-raw.js'

/**
 * Matches control characters, and characters that change the direction of text: `\u202Efdp.exe` would look like
 * `exe.pdf`.
 */
const HIDDEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** File systems do not accept longer names. */
const MAX_LENGTH = 255

/**
 * Sets `Content-Disposition` (RFC 6266, with RFC 8187 for non-ASCII characters), and the media type for the extension
 * of the name.
 */
function setDisposition(res: Response, name: string | undefined, isInline: boolean): void {
  const clean = name === undefined ? undefined : cleanName(name)
  res.attachment(clean)
  if (!isInline) return
  const value = String(res.getHeader('Content-Disposition'))
  res.setHeader('Content-Disposition', value.replace(/^attachment/, 'inline'))
}

/** Returns the last segment of a path as a file name that every client interprets correctly. */
function cleanName(name: string): string {
  const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  // Lone surrogates cannot be encoded in UTF-8.
  const text = last
    .replace(HIDDEN, '')
    .slice(0, MAX_LENGTH)
    .replace(/\p{Surrogate}/gu, '\ufffd')
  return /^\.*$/.test(text.trim()) ? 'download' : text
}

/** The request and the response for which a file is sent. */
export interface FileTarget {
  readonly req: BlazonRequest
  readonly res: Response
  readonly status: number
  /** The documented media type; `null` if there is none. */
  readonly type: string | null
  /** Ends the request after an error. */
  readonly fail: (error: unknown) => void
}

/** Opens a file and sends it. Errors are passed to `fail`, so the promise is always fulfilled. */
export async function sendFile(file: FileResponse, target: FileTarget): Promise<void> {
  let content: OpenContent | undefined
  try {
    const parts = partsOf(file)
    content = await openContent(parts)
    if (isOver(target)) return content.close()
    send(content, parts, target)
  } catch (error) {
    content?.close()
    target.fail(error)
  }
}

/** Whether the client disconnected, or an error response was sent, while the file was being opened. */
function isOver({ req, res }: FileTarget): boolean {
  return req[kHasFailed] || res.headersSent || res.destroyed || hasLostConnection(res)
}

function send(content: OpenContent, parts: FileParts, target: FileTarget): void {
  const { req, res, status, fail } = target
  // Conditions and ranges apply only to a 200 response to a read request (RFC 9110, 13.2.1 and 14.2).
  const isRead = status === 200 && (req.method === 'GET' || req.method === 'HEAD')
  const hasRanges = isRead && parts.options.ranges !== false && content.length !== null
  if (hasRanges) keepBytes(res)
  const validators = setValidators(res, content, parts)
  if (isRead && failsPrecondition(req, validators)) throw refuse('PRECONDITION_FAILED')
  res.status(status)
  if ((isRead && isNotModified(req, validators)) || [204, 205, 304].includes(status)) {
    if (status === 200) res.status(304)
    return endWithout(res, content)
  }
  const range = hasRanges && req.method === 'GET' ? rangeOf(req, content, validators) : null
  setHead(content, parts, target)
  setLength(res, { length: content.length, range })
  if (hasRanges) res.setHeader('Accept-Ranges', 'bytes')
  if (req.method === 'HEAD') return endWithout(res, content, false)
  const stream = content.read(range)
  // Emits `pipe`, as Node's `pipe` does. From this event, the cache detects that the body is not available as a whole.
  res.emit('pipe', stream)
  sendStream(res, stream, fail)
}

function endWithout(res: Response, content: OpenContent, isEmpty: boolean = true): void {
  content.close()
  if (isEmpty) for (const name of ['Content-Type', 'Content-Length']) res.removeHeader(name)
  res.end()
}

/**
 * Prevents middlewares and proxies from compressing the response. The parts of a file have the same `ETag`, and their
 * positions refer to the uncompressed file. If a client combined a compressed part with other parts, the file would be
 * corrupt.
 */
function keepBytes(res: Response): void {
  const stated = String(res.getHeader('Cache-Control') ?? '')
  if (/\bno-transform\b/i.test(stated)) return
  res.setHeader('Cache-Control', stated === '' ? 'no-transform' : `${stated}, no-transform`)
}

/** Sets `ETag` and `Last-Modified`, unless the handler set them. */
function setValidators(res: Response, content: OpenContent, { options }: FileParts): Validators {
  const tag = options.etag ?? content.tag
  const changed = options.lastModified ?? content.lastModified
  if (tag !== null && !res.hasHeader('ETag')) {
    // Without ranges, the content can be compressed, so different bytes can have the same tag.
    res.setHeader('ETag', options.ranges === false ? `W/"${tag}"` : `"${tag}"`)
  }
  if (changed !== null && !res.hasHeader('Last-Modified')) {
    res.setHeader('Last-Modified', changed.toUTCString())
  }
  const [etag, date] = ['ETag', 'Last-Modified'].map((name) => res.get(name))
  return { etag: etag ?? null, lastModified: date === undefined ? null : new Date(date) }
}

function rangeOf(
  req: BlazonRequest,
  { length }: OpenContent,
  validators: Validators,
): ByteRange | null {
  if (req.headers.range === undefined || !matchesIfRange(req, validators)) return null
  const range = readRange(req.headers.range, length as number)
  if (range !== 'unsatisfiable') return range
  throw refuse('RANGE_NOT_SATISFIABLE', undefined, {
    headers: { 'Content-Range': `bytes */${length}` },
  })
}

function setHead(content: OpenContent, parts: FileParts, { res, type }: FileTarget): void {
  const { name = content.name ?? undefined, type: own, inline = false } = parts.options
  const stated = res.getHeader('Content-Type')
  if (parts.hasDisposition) setDisposition(res, name, inline)
  const first = own ?? stated ?? content.type
  if (first != null) res.setHeader('Content-Type', first)
  if (own === undefined && type !== null) setDocumentedType(res, type)
  else if (!res.hasHeader('Content-Type')) res.setHeader('Content-Type', BYTES)
}

const BYTES = 'application/octet-stream'

interface Part {
  readonly length: number | null
  readonly range: ByteRange | null
}

function setLength(res: Response, { length, range }: Part): void {
  if (range !== null) {
    const { start, end } = range
    res.status(206).setHeader('Content-Range', `bytes ${start}-${end}/${length}`)
    res.setHeader('Content-Length', end - start + 1)
  } else if (length !== null) res.setHeader('Content-Length', length)
}

/** A file that is ready to be sent. */
interface OpenContent {
  /** The number of bytes; `null` if unknown. */
  readonly length: number | null
  /** The version of the content, without quotes; `null` if unknown. */
  readonly tag: string | null
  readonly lastModified: Date | null
  /** The media type of the content itself; `null` if it has none. */
  readonly type: string | null
  /** The name of the content itself; `null` if it has none. */
  readonly name: string | null
  /** Returns the bytes of the range, or all bytes. It must be called only once, because the stream closes the file. */
  readonly read: (range: ByteRange | null) => Readable
  /** Closes the file. It must be called if `read` is not called. */
  readonly close: () => void
}

/**
 * Opens the content of a file response.
 *
 * @throws HttpError 404 for a path that is not a file in its folder.
 */
async function openContent({ content, options }: FileParts): Promise<OpenContent> {
  if (typeof content !== 'string') return contentOf(content)
  const { handle, size, changedAt } = await openFile(options.root as string | URL, content)
  return {
    length: size,
    tag: `${size.toString(36)}-${changedAt.toString(36)}`,
    lastModified: new Date(Number(changedAt / 1_000_000n)),
    type: null,
    name: content,
    read: (range) => {
      // Bytes that are appended to the file later are not sent, because `Content-Length` has already been sent.
      const { start, end } = range ?? { start: 0, end: size - 1 }
      if (size > 0) return handle.createReadStream({ start, end })
      void handle.close()
      return Readable.from([])
    },
    close: () => void handle.close(),
  }
}

const NOTHING: Pick<OpenContent, 'tag' | 'lastModified' | 'type' | 'name' | 'close'> = {
  tag: null,
  lastModified: null,
  type: null,
  name: null,
  close: () => {},
}

function contentOf(content: FileContent): OpenContent {
  if (content instanceof Blob) return contentOfBlob(content)
  if (content instanceof ArrayBuffer) return contentOfBytes(Buffer.from(content))
  if (content instanceof Uint8Array) {
    return contentOfBytes(Buffer.from(content.buffer, content.byteOffset, content.byteLength))
  }
  const stream = content instanceof ReadableStream ? fromWeb(content) : content
  const close = () => destroyStream(stream)
  return { ...NOTHING, length: null, read: () => stream, close }
}

function contentOfBlob(blob: Blob): OpenContent {
  const { lastModified, name } = blob as Partial<File>
  return {
    ...NOTHING,
    length: blob.size,
    lastModified: lastModified === undefined ? null : new Date(lastModified),
    type: blob.type || null,
    name: name ?? null,
    read: (range) =>
      fromWeb((range === null ? blob : blob.slice(range.start, range.end + 1)).stream()),
  }
}

function contentOfBytes(bytes: Buffer): OpenContent {
  return {
    ...NOTHING,
    length: bytes.length,
    tag: createHash('sha256').update(bytes).digest('base64url').slice(0, 27),
    read: (range) => {
      const part = range === null ? bytes : bytes.subarray(range.start, range.end + 1)
      return Readable.from(part.length === 0 ? [] : [part])
    },
  }
}
