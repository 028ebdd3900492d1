import { finished, type Readable } from 'node:stream'
import type { Response } from '../../contracts/handler.js'
import { hasLostConnection } from '../close-with-connection.js'
import { destroyStream } from './raw-body.js'

/**
 * Sends a stream as a body. The stream is paused while the client does not read, and destroyed when the client leaves.
 * `pipe` would do neither in all cases, and would leave the response open after an error of the stream. A body that is
 * shorter than its `Content-Length` is an error, too: the client would wait for the rest (RFC 9112, 6.3).
 *
 * @param fail Called once if the stream fails, or ends early. Before the first byte, the response can still be an error.
 */
export function sendStream(res: Response, stream: Readable, fail: (error: unknown) => void): void {
  if (res.closed || hasLostConnection(res)) return destroyStream(stream)
  const length = statedLength(res)
  let sent = 0
  let isOver = false
  const stop = () => {
    isOver = true
    res.off('drain', resume).off('close', abort)
  }
  const end = (error?: unknown) => {
    if (isOver) return
    stop()
    const hasEnded = error === undefined || error === null
    if (hasEnded && (length === null || sent === length)) return void res.end()
    destroyStream(stream)
    fail(hasEnded ? new TypeError(otherLength(`${sent}`, length)) : error)
  }
  const write = (chunk: unknown) => {
    if (isOver) return
    try {
      if (!isChunk(chunk)) throw new TypeError(notBytes(chunk))
      sent += Buffer.byteLength(chunk)
      // More bytes would be read as the beginning of the next response.
      if (length !== null && sent > length) throw new TypeError(otherLength('more', length))
      if (!res.write(chunk)) stream.pause()
    } catch (error) {
      // A head that cannot be written, or a stream of objects. In a listener, no other code would catch it.
      end(error)
    }
  }
  function resume(): void {
    stream.resume()
  }
  function abort(): void {
    stop()
    destroyStream(stream)
  }
  res.on('drain', resume).on('close', abort)
  // `writable: false`: of a socket or a transform, only the readable side has to end.
  finished(stream, { writable: false }, end)
  // A handler may have piped the stream into the response as well, which would write each chunk twice.
  stream.unpipe?.(res)
  // Code that has paused the stream cannot find out that it must resume it.
  stream.on('data', write).resume()
}

/** The `Content-Length` that the handler has set, in bytes; `null` if it has set none. */
function statedLength(res: Response): number | null {
  const stated = String(res.getHeader('Content-Length'))
  return /^\d+$/.test(stated) ? Number(stated) : null
}

function otherLength(sent: string, stated: number | null): string {
  return `The handler returned a body of ${sent} bytes with a Content-Length of ${stated}: leave this header out, or correct it.`
}

function isChunk(chunk: unknown): chunk is string | Uint8Array {
  return typeof chunk === 'string' || chunk instanceof Uint8Array
}

function notBytes(chunk: unknown): string {
  const kind = chunk === null ? 'null' : typeof chunk
  return `The handler returned a stream whose chunks are neither text nor bytes, but ${kind}: convert them, for example to lines of JSON.`
}
