import type { OutgoingHttpHeaders } from 'node:http'
import type { Response } from '../../contracts/handler.js'

/** An answer as its handler gave it, before others make something else of it. */
export interface Captured {
  readonly body: string | Uint8Array
  /** Of the moment when the handler ended it, by lower-case name. */
  readonly headers: OutgoingHttpHeaders
}

/** What became of an answer. */
export type CaptureEnd =
  | { readonly kind: 'whole'; readonly answer: Captured }
  /** In pieces, or with a head that nobody could read. */
  | { readonly kind: 'streamed' }
  | { readonly kind: 'aborted' }

/**
 * Tells once what a handler answers with. `end`, `write` and `writeHead` are replaced on the response: whoever has done so before, to
 * compress for one, comes after, and what it makes is not what is told.
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
      const answer = isDone ? undefined : { body: bodyOf(args), headers: { ...res.getHeaders() } }
      const result = end.apply(res, args)
      if (answer === undefined) return result
      // Whoever saves a session first writes the head later, and may say then that the answer is nobody else's.
      if (res.headersSent) finish({ kind: 'whole', answer })
      else res.once('finish', () => finish({ kind: 'whole', answer }))
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
        // As Node does where a header was set before; else nobody could read them.
        for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
        args.pop()
      }
      return writeHead.apply(res, args)
    },
  }
  // Once a header was set, Node sets what `writeHead` is given, too; else nobody could read it.
  res.setHeader('X-Cache-Capture', '').removeHeader('X-Cache-Capture')
  Object.assign(res, own)
  // Who went away before this says so no more: nothing else may ever tell that there will be no answer.
  if (res.closed) finish({ kind: 'aborted' })
  else res.once('close', () => finish({ kind: 'aborted' }))
}

interface AnyMethods {
  end: (...args: unknown[]) => unknown
  write: (...args: unknown[]) => unknown
  writeHead: (...args: unknown[]) => unknown
}

/** What `end` was given: `(chunk?, encoding?, callback?)`. Bytes are copied, because they are still their maker's. */
function bodyOf([chunk, encoding]: unknown[]): string | Uint8Array {
  if (typeof chunk === 'string') {
    const isUtf8 = typeof encoding !== 'string' || /^utf-?8$/i.test(encoding)
    return isUtf8 ? chunk : Buffer.from(chunk, encoding as BufferEncoding)
  }
  return chunk instanceof Uint8Array ? Buffer.from(chunk) : ''
}
