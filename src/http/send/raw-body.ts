import { type Duplex, Readable } from 'node:stream'
import type { Response } from '../../contracts/handler.js'
import { FileResponse, partsOf } from './file-response.js'
import { isNodeStream } from './node-stream.js'

/** A body that is sent as it is: never as JSON, and never in the envelope. */
export type RawBody =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | {
      readonly kind: 'stream'
      readonly stream: Readable
      /** The media type that the value itself names; `null` if it names none. */
      readonly type: string | null
      /** The number of bytes, if it is known; else `null`. */
      readonly length: number | null
    }
  | { readonly kind: 'response'; readonly response: globalThis.Response }
  | { readonly kind: 'file'; readonly file: FileResponse }

/** Reads bytes, streams, files and responses of the Fetch API; `null` for every other value. */
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

/** Reads a web stream as a Node stream. Fails as a stream does if other code already reads it. */
export function fromWeb(stream: ReadableStream): Readable {
  // The types of the DOM and of Node name the same class differently.
  return Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0])
}

/**
 * Ends a body that is not sent: its file, socket or cursor would stay open. Never throws: no response depends on a value
 * that other code reads, or that throws when it is read.
 */
export function discardBody(value: unknown): void {
  try {
    const raw = toRawBody(value)
    if (raw?.kind === 'stream') destroyStream(raw.stream)
    else if (raw?.kind === 'response') cancel(raw.response)
    else if (raw?.kind === 'file') discardBody(partsOf(raw.file).content)
  } catch {
    // The value cannot be read. It is not sent, so there is nothing to end.
  }
}

/** As {@link discardBody}, but not before the response is over: the handler may be piping the stream into it. */
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

/** Whether a value is a body that is read bit by bit. As JSON, it would show its internals, or nothing. */
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

/** Whether a stream cannot be read. Streams of older packages have no `read`, but a property `readable`. */
export function isWriteOnly(stream: object): boolean {
  const { write, read, readable } = stream as Partial<Duplex>
  return typeof write === 'function' && typeof read !== 'function' && readable !== true
}

/** Packages such as undici have a `Response` class of their own. */
function isResponse(value: object): value is globalThis.Response {
  if (value instanceof globalThis.Response) return true
  const { headers, bodyUsed } = value as Partial<globalThis.Response>
  return (
    Object.prototype.toString.call(value) === '[object Response]' &&
    typeof bodyUsed === 'boolean' &&
    typeof headers?.getSetCookie === 'function'
  )
}
