import { type Duplex, Readable } from 'node:stream'
import type { Response } from '../../contracts/handler.js'
import { shown } from '../../errors/config-error.js'

/** A body that is sent unchanged, neither as JSON nor in the envelope. */
export type RawBody =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | {
      readonly kind: 'stream'
      readonly stream: Readable
      /** The media type of the value itself; `null` if it has none. */
      readonly type: string | null
      /** The number of bytes; `null` if unknown. */
      readonly length: number | null
    }
  | { readonly kind: 'response'; readonly response: globalThis.Response }
  | { readonly kind: 'file'; readonly file: FileResponse }

/** Converts bytes, streams, files and Fetch API responses to a raw body; returns `null` for every other value. */
export function toRawBody(value: unknown): RawBody | null {
  if (typeof value !== 'object' || value === null) return null
  if (value instanceof FileResponse) return { kind: 'file', file: value }
  if (ArrayBuffer.isView(value)) {
    return { kind: 'bytes', bytes: Buffer.from(value.buffer, value.byteOffset, value.byteLength) }
  }
  if (value instanceof ArrayBuffer) return { kind: 'bytes', bytes: Buffer.from(value) }
  if (isNodeStream(value)) return streamed(value)
  if (value instanceof ReadableStream) return streamed(fromWeb(value))
  if (value instanceof Blob) {
    return { ...streamed(fromWeb(value.stream())), type: value.type || null, length: value.size }
  }
  return isResponse(value) ? { kind: 'response', response: value } : null
}

/** Converts a web stream to a Node stream. Throws if the web stream is locked. */
export function fromWeb(stream: ReadableStream): Readable {
  // The DOM types and the Node types differ for the same class.
  return Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0])
}

/**
 * Ends a body that will not be sent, because its file, socket or cursor would otherwise stay open. Never throws, even
 * if the value is already being read, or throws when it is read.
 */
export function discardBody(value: unknown): void {
  try {
    const raw = toRawBody(value)
    if (raw?.kind === 'stream') destroyStream(raw.stream)
    else if (raw?.kind === 'response') cancel(raw.response)
    else if (raw?.kind === 'file') discardBody(partsOf(raw.file).content)
  } catch {
    // The value cannot be read, so there is no stream to close.
  }
}

/**
 * Like {@link discardBody}, but waits for the end of the response: the handler could be piping the stream into the
 * response.
 */
export function discardAfter(res: Response, value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (res.writableEnded || res.closed) discardBody(value)
  else res.once('close', () => discardBody(value))
}

/** Destroys a stream. Its errors are ignored, but without a listener they would end the process. */
export function destroyStream(stream: Readable): void {
  stream.on('error', () => {})
  stream.destroy()
}

function cancel({ body }: globalThis.Response): void {
  if (body !== null && !body.locked) body.cancel().catch(() => {})
}

function streamed(stream: Readable): Extract<RawBody, { kind: 'stream' }> {
  return { kind: 'stream', stream, type: null, length: null }
}

/** Whether a value is a body that is read in chunks. As JSON, such a value would expose its internals or be empty. */
export function isReadInParts(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return (
    isNodeStream(value) ||
    value instanceof ReadableStream ||
    value instanceof Blob ||
    value instanceof FileResponse ||
    isResponse(value)
  )
}

/**
 * Whether a stream is not readable. Streams of older packages do not have a `read` method, but they have a `readable`
 * property.
 */
export function isWriteOnly(stream: object): boolean {
  const { write, read, readable } = stream as Partial<Duplex>
  return typeof write === 'function' && typeof read !== 'function' && readable !== true
}

/** Packages such as undici have their own `Response` class. */
function isResponse(value: object): value is globalThis.Response {
  if (value instanceof globalThis.Response) return true
  const { headers, bodyUsed } = value as Partial<globalThis.Response>
  return (
    Object.prototype.toString.call(value) === '[object Response]' &&
    typeof bodyUsed === 'boolean' &&
    typeof headers?.getSetCookie === 'function'
  )
}

/** Whether a value is a stream. Streams of older packages are not instances of Node's class. */
export function isNodeStream(value: object): value is Readable {
  const { pipe, on, destroy } = value as Partial<Readable>
  return [pipe, on, destroy].every((method) => typeof method === 'function')
}

/** Content that is already in memory, or that is read in chunks. */
export type FileContent = Uint8Array | ArrayBuffer | Blob | Readable | ReadableStream

/** The options of `fileResponse` for all kinds of content. */
export interface ContentOptions {
  /**
   * The name under which a client saves the file. Folders, control characters, and characters that change the direction
   * of text are removed from the name. Default: the name of the file in its folder, or the name of a `File`; otherwise
   * none.
   */
  readonly name?: string
  /**
   * The media type. Default: the type in `@ApiResponseDoc`, `@Header` or the `Blob`, otherwise the type for the
   * extension of the name.
   */
  readonly type?: string
  /**
   * Whether a browser shows the file instead of saving it. Use it only for files that your own code creates: scripts in
   * a user's HTML or SVG file would run in the origin of your API. Default `false`.
   */
  readonly inline?: boolean
  /**
   * Whether clients can request a range (RFC 9110, 14). The response then has `Cache-Control: no-transform`, because
   * compression would change the positions of the bytes. Streams do not support ranges. Default `true`.
   */
  readonly ranges?: boolean
  /**
   * The version of the content, without quotes: printable ASCII. It must change whenever the content changes. Default:
   * derived from the size and modification time of a file, or a hash of bytes; none for a `Blob` or a stream.
   */
  readonly etag?: string
  /** The time of the last change. Default: the modification time of the file or `File`; otherwise none. */
  readonly lastModified?: Date
}

/** The options of `fileResponse` for a file on disk. */
export interface FileResponseOptions extends ContentOptions {
  /** The folder that the path cannot leave: absolute, relative to the working directory, or a `file:` URL. */
  readonly root: string | URL
}

/** The arguments from which a {@link FileResponse} was created. */
export interface FileParts {
  readonly content: string | FileContent
  readonly options: Partial<FileResponseOptions>
  /** Whether the response has a `Content-Disposition` header. */
  readonly hasDisposition: boolean
}

const parts = new WeakMap<FileResponse, FileParts>()

/**
 * A file that a handler returns. Only {@link fileResponse} creates such a value. Its JSON does not reveal the content.
 */
export class FileResponse {
  /** Creates a value for these parts. */
  constructor(own: FileParts) {
    parts.set(this, own)
  }
}

/** Returns the arguments from which a file response was created. */
export function partsOf(file: FileResponse): FileParts {
  return parts.get(file) as FileParts
}

/**
 * Responds with a file in a folder. The path can come from a request, because no file outside `root` can be read: `..`,
 * absolute paths, names that begin with a dot, and symbolic links that lead out of the folder are refused. In these
 * cases, and for a missing file, a directory, or anything else that is not a regular file, the framework sends a 404
 * response.
 *
 * The framework sets the media type, the length, `ETag` and `Last-Modified`. It also answers requests for a range (206,
 * 416) and conditional requests (304, 412; RFC 9110, 13). Return the result from the handler.
 *
 * @param path The file, relative to `root`, with `/` between folders.
 * @param options The folder, and how the file is sent.
 * @returns A value for the handler to return. The file is opened only when the value is sent.
 * @throws TypeError if `root` is missing, and for an option of an invalid type.
 * @example
 * @ApiResponseDoc({ status: 200, content: 'application/pdf' })
 * @Get('invoices/:name')
 * invoice(req: Request) {
 *   return fileResponse(`${req.params.name}.pdf`, { root: 'storage/invoices' })
 * }
 */
export function fileResponse(path: string, options: FileResponseOptions): FileResponse
/**
 * Responds with a file that is not on disk: bytes, a `Blob`, or a stream.
 *
 * @param content The content. Ranges require a known length, which a stream does not have.
 * @param options How the file is sent. Default: none.
 * @returns A value for the handler to return.
 * @throws TypeError for content of any other kind, and for an option of an invalid type.
 * @example
 * return fileResponse(await renderPdf(order), { name: `Order ${order.id}.pdf` })
 */
export function fileResponse(content: FileContent, options?: ContentOptions): FileResponse
export function fileResponse(
  content: string | FileContent,
  options: Partial<FileResponseOptions> = {},
): FileResponse {
  const isPath = typeof content === 'string'
  if (!isPath && !isContent(content)) {
    throw new TypeError(`fileResponse was given ${shown(content)}: ${CONTENT}`)
  }
  if (isPath && !isRoot(options?.root)) throw new TypeError(ROOT)
  checkOptions(options)
  return new FileResponse({ content, options: { ...options }, hasDisposition: true })
}

const CONTENT = 'pass a path with `root`, bytes, a Blob, or a readable stream.'

const ROOT =
  "To send a file by its path, pass `root`, the folder with the permitted files: fileResponse('a.pdf', { root: 'files' })."

/** The characters of an entity tag (RFC 9110, 8.8.3). */
const TAG = /^[!#-~]+$/

function checkOptions({ name, type, etag, lastModified }: Partial<FileResponseOptions>): void {
  if (name !== undefined && typeof name !== 'string') throw wrong('name', 'a string')
  if (type !== undefined && typeof type !== 'string') throw wrong('type', 'a media type')
  if (etag !== undefined && !TAG.test(etag)) {
    throw wrong('etag', 'printable ASCII characters without spaces and quotes')
  }
  const isDate = lastModified instanceof Date && !Number.isNaN(lastModified.getTime())
  if (lastModified !== undefined && !isDate) throw wrong('lastModified', 'a valid Date')
}

function wrong(option: string, expected: string): TypeError {
  return new TypeError(`fileResponse was given an invalid \`${option}\`: pass ${expected}.`)
}

function isRoot(root: unknown): boolean {
  return (typeof root === 'string' && root !== '') || root instanceof URL
}

function isContent(value: unknown): value is FileContent {
  if (typeof value !== 'object' || value === null) return false
  return (
    value instanceof Uint8Array ||
    value instanceof ArrayBuffer ||
    value instanceof Blob ||
    value instanceof ReadableStream ||
    isNodeStream(value)
  )
}
