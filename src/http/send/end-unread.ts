import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasLostConnection } from '../close-with-connection.js'
import { kIsBodyTaken } from '../own-fields.js'
import { type Arriving, hasBody } from '../read-body.js'
import { dropLateAnswers } from './keep-first-response.js'

/** Bytes of a refused body that are still taken in, so that a client that writes first can read the answer. */
const LINGER_BYTES = 1024 * 1024
const LINGER_MS = 1000

/** Whether the client may still be sending a body that nobody will read. */
export function isUnread(req: Arriving): boolean {
  return !req.complete && hasBody(req) && req[kIsBodyTaken] !== true
}

/**
 * Sends an answer before the body has been read, then closes the connection. Without `close`, Node
 * would go on swallowing whatever the client sends; closing at once, the kernel resets the
 * connection and the client may never see the answer. So the answer goes out first, whole, and
 * the end waits for the rest of a small body, a megabyte or a second, whichever comes first.
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
  // A handler that is still at work cannot end what is being sent here.
  dropLateAnswers(res)
  // Whoever found the body too large has paused it, and a paused stream does not flow by listening.
  req.on('data', onData).on('end', end).on('close', end).resume()
  // Errors of a connection that is given up concern nobody.
  req.on('error', () => {})
}
