import type { Readable } from 'node:stream'
import { shown } from '../../errors/invalid.js'
import { isNodeStream } from './node-stream.js'

/** Content that is already in memory, or that is read bit by bit. */
export type FileContent = Uint8Array | ArrayBuffer | Blob | Readable | ReadableStream

/** Options of `fileResponse` for every content. */
export interface ContentOptions {
  /**
   * The name under which a client saves the file. Folders, control characters, and characters that change the direction
   * of text are removed from it. Default: the name of the file in its folder, or the name of a `File`; else none.
   */
  readonly name?: string
  /** The media type. Default: from `@ApiResponseDoc`, `@Header` or the `Blob`, else from the extension of the name. */
  readonly type?: string
  /**
   * Whether a browser shows the file in place of saving it. Only for files that your own code makes: an HTML or SVG file of
   * a user runs scripts in the name of your API. Default `false`.
   */
  readonly inline?: boolean
  /**
   * Whether clients may request a range (RFC 9110, 14). Such a response has `Cache-Control: no-transform`, because
   * compression would change the positions of the bytes. Streams have no ranges. Default `true`.
   */
  readonly ranges?: boolean
  /**
   * The version of the content, without quotes: printable ASCII. It must change with every byte. Default: size and time of
   * change of a file, a hash of bytes; none for a `Blob` and a stream.
   */
  readonly etag?: string
  /** The time of the last change. Default: from the file, or from a `File`; else none. */
  readonly lastModified?: Date
}

/** Options of `fileResponse` for a file on the disk. */
export interface FileResponseOptions extends ContentOptions {
  /** The folder that the path cannot leave: absolute, relative to the working directory, or a `file:` URL. */
  readonly root: string | URL
}

/** The arguments from which a {@link FileResponse} was made. */
export interface FileParts {
  readonly content: string | FileContent
  readonly options: Partial<FileResponseOptions>
  /** Whether the response names a file to save or to show. */
  readonly hasDisposition: boolean
}

const parts = new WeakMap<FileResponse, FileParts>()

/** A file that a handler returns. Only {@link fileResponse} makes one; it shows nothing of its content in JSON. */
export class FileResponse {
  /** Makes a value that stands for these parts. */
  constructor(own: FileParts) {
    parts.set(this, own)
  }
}

/** Returns the arguments from which a file response was made. */
export function partsOf(file: FileResponse): FileParts {
  return parts.get(file) as FileParts
}

/**
 * Responds with a file of a folder. The path may come from a request, because nothing outside of `root` can be read: no
 * `..`, no absolute path, no name that begins with a dot, and no symbolic link that leads out of the folder. All of these,
 * directories, and everything else that is not a regular file are a 404, as is a file that does not exist.
 *
 * The response has its type, length, `ETag` and `Last-Modified`. A client gets a part of it by `Range` (206, 416), and a 304
 * or a 412 under the conditions of RFC 9110, 13. Return it from the handler.
 *
 * @param path The file, relative to `root`, with `/` between folders.
 * @param options The folder, and how the file is sent.
 * @returns A value for the handler to return. Nothing is opened before it is sent.
 * @throws TypeError without `root`, and for an option of a wrong type.
 * @example
 * @ApiResponseDoc({ status: 200, content: 'application/pdf' })
 * @Get('invoices/:name')
 * invoice(req: Request) {
 *   return fileResponse(`${req.params.name}.pdf`, { root: 'storage/invoices' })
 * }
 */
export function fileResponse(path: string, options: FileResponseOptions): FileResponse
/**
 * Responds with a file that is not a file of the disk: bytes, a `Blob`, or a stream.
 *
 * @param content The content. Ranges need its length, which a stream does not have.
 * @param options How the file is sent. Default: none.
 * @returns A value for the handler to return.
 * @throws TypeError for content of another kind, and for an option of a wrong type.
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

const CONTENT = 'give a path with `root`, bytes, a Blob, or a stream that can be read.'

const ROOT =
  "fileResponse needs `root` for a path, the folder that the path cannot leave: fileResponse('a.pdf', { root: 'files' })."

/** The characters of an entity tag (RFC 9110, 8.8.3). */
const TAG = /^[!#-~]+$/

function checkOptions({ name, type, etag, lastModified }: Partial<FileResponseOptions>): void {
  if (name !== undefined && typeof name !== 'string') throw wrong('name', 'a text')
  if (type !== undefined && typeof type !== 'string') throw wrong('type', 'a media type')
  if (etag !== undefined && !TAG.test(etag)) {
    throw wrong('etag', 'printable ASCII characters without spaces and quotes')
  }
  const isDate = lastModified instanceof Date && !Number.isNaN(lastModified.getTime())
  if (lastModified !== undefined && !isDate) throw wrong('lastModified', 'a valid Date')
}

function wrong(option: string, expected: string): TypeError {
  return new TypeError(`fileResponse was given a wrong \`${option}\`: give ${expected}.`)
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
