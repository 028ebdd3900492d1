import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasLostConnection } from '../close-with-connection.js'
import { type Arriving, hasBody } from '../read-body.js'
import { kIsBodyTaken } from '../symbol-fields.js'
import { dropLaterCalls } from './keep-first-response.js'

/**
 * Bytes of a refused body that are still read, so that a client that writes its whole body first can read the
 * response.
 */
const LINGER_BYTES = 1024 * 1024
/** Milliseconds for which they are read. */
const LINGER_MS = 1000

/** Whether the client may still be sending a body that no code will read. */
export function isUnread(req: Arriving): boolean {
  return !req.complete && !req.readableEnded && hasBody(req) && req[kIsBodyTaken] !== true
}

/**
 * Sends a response before the body of its request has been read, then closes the connection. Without `Connection:
 * close`, Node would continue to read everything that the client sends. If the connection were closed at once, the
 * kernel would reset it, and the client might never see the response. Therefore the whole response is written first,
 * and its end waits for the rest of the body, for a megabyte of it, or for a second, whichever comes first.
 */
export function endUnread(req: IncomingMessage, res: ServerResponse, body: string): void {
  let swallowed = 0
  const endResponse = res.end.bind(res)
  const timer = setTimeout(end, LINGER_MS)
  timer.unref()
  function onData(chunk: Buffer): void {
    swallowed += chunk.length
    if (swallowed > LINGER_BYTES) end()
  }
  function end(): void {
    clearTimeout(timer)
    req.off('data', onData).off('end', end).off('close', end)
    req.pause()
    if (hasLostConnection(res)) res.destroy()
    else endResponse()
  }
  res.setHeader('Connection', 'close')
  res.write(body)
  // A handler that is still running must not end this response.
  dropLaterCalls(res)
  // The reader that found the body too large has paused it, and a listener alone does not make a paused stream flow.
  req.on('data', onData).on('end', end).on('close', end).resume()
  // The connection is closed in any case: its errors change nothing, and without a listener they would end the process.
  req.on('error', () => {})
}
