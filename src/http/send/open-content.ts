import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ByteRange } from './byte-range.js'
import type { FileContent, FileParts } from './file-response.js'
import { openFile } from './open-file.js'
import { destroyStream, fromWeb } from './raw-body.js'

/** A file that is ready to be sent. */
export interface OpenContent {
  /** The number of bytes; `null` if it is not known. */
  readonly length: number | null
  /** The version of the content, without quotes; `null` if it is not known. */
  readonly tag: string | null
  readonly lastModified: Date | null
  /** The media type that the content itself names; `null` if it names none. */
  readonly type: string | null
  /** The name that the content itself has; `null` if it has none. */
  readonly name: string | null
  /** Returns the bytes, all of them without a range. The stream closes the file, so it is called once. */
  readonly read: (range: ByteRange | null) => Readable
  /** Closes the file, in place of `read`. */
  readonly close: () => void
}

/**
 * Opens the content of a file response.
 *
 * @throws HttpError 404 for a path that leads to no file of its folder.
 */
export async function openContent({ content, options }: FileParts): Promise<OpenContent> {
  if (typeof content !== 'string') return contentOf(content)
  const { handle, size, changedAt } = await openFile(options.root as string | URL, content)
  return {
    length: size,
    tag: `${size.toString(36)}-${changedAt.toString(36)}`,
    lastModified: new Date(Number(changedAt / 1_000_000n)),
    type: null,
    name: content,
    read: (range) => {
      // Bytes that are added meanwhile are not sent: `Content-Length` is sent before them.
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
