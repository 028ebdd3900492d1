import type { OutgoingHttpHeaders } from 'node:http'
import type { Response } from '../../contracts/handler.js'

/** A response as the handler sent it, before middlewares changed it. */
export interface Captured {
  readonly body: string | Uint8Array
  /** The headers at the time when the handler ended the response, by lower-case name. */
  readonly headers: OutgoingHttpHeaders
}

/** The result of capturing a response. */
export type CaptureEnd =
  | { readonly kind: 'whole'; readonly response: Captured }
  /**
   * The body was written in pieces or piped from a stream, or `writeHead` received the headers in a form that cannot be
   * read back.
   */
  | { readonly kind: 'streamed' }
  | { readonly kind: 'aborted' }

/**
 * Calls `done` once with the response that the handler sends. To do so, it replaces the response's methods `end`,
 * `write` and `writeHead`. If a middleware has already replaced them, for example to compress the body, the
 * middleware's methods run after the capture, so the captured body is not compressed.
 */
export function captureResponse(res: Response, done: (end: CaptureEnd) => void): void {
  let isDone = false
  const finish = (end: CaptureEnd) => {
    if (isDone) return
    isDone = true
    done(end)
  }
  const { end, write, writeHead } = res as unknown as AnyMethods
  const own: AnyMethods = {
    end(...args) {
      const response = isDone ? undefined : { body: bodyOf(args), headers: { ...res.getHeaders() } }
      const result = end.apply(res, args)
      if (response === undefined) return result
      // A session middleware may save the session before it sends the head. The final headers may forbid caching, so
      // wait for them.
      if (res.headersSent) finish({ kind: 'whole', response })
      else res.once('finish', () => finish({ kind: 'whole', response }))
      return result
    },
    write(...args) {
      finish({ kind: 'streamed' })
      return write.apply(res, args)
    },
    writeHead(...args) {
      const headers = args.at(-1)
      if (typeof headers !== 'object' || headers === null) return writeHead.apply(res, args)
      if (Array.isArray(headers)) finish({ kind: 'streamed' })
      else {
        // Set the headers one by one, as Node does if a header was set before. Otherwise `getHeaders` would not return
        // them.
        for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
        args.pop()
      }
      return writeHead.apply(res, args)
    },
  }
  // After a first `setHeader`, Node also stores the headers of `writeHead`, so that `getHeaders` returns them.
  res.setHeader('X-Cache-Capture', '').removeHeader('X-Cache-Capture')
  Object.assign(res, own)
  // The event `pipe` is needed, because an empty stream or a stream for a HEAD response never calls `write`.
  res.once('pipe', () => finish({ kind: 'streamed' }))
  // If the client has already disconnected, `close` is not emitted again, and no other event would end the capture.
  if (res.closed) finish({ kind: 'aborted' })
  else res.once('close', () => finish({ kind: 'aborted' }))
}

interface AnyMethods {
  end: (...args: unknown[]) => unknown
  write: (...args: unknown[]) => unknown
  writeHead: (...args: unknown[]) => unknown
}

/**
 * Returns the body from the arguments of `end`: `(chunk?, encoding?, callback?)`. Bytes are copied, because the
 * handler may reuse its buffer.
 */
function bodyOf([chunk, encoding]: unknown[]): string | Uint8Array {
  if (typeof chunk === 'string') {
    const isUtf8 = typeof encoding !== 'string' || /^utf-?8$/i.test(encoding)
    return isUtf8 ? chunk : Buffer.from(chunk, encoding as BufferEncoding)
  }
  return chunk instanceof Uint8Array ? Buffer.from(chunk) : ''
}
