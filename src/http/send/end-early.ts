import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Response } from '../../contracts/handler.js'
import { hasLostConnection } from '../close-with-connection.js'
import { type Arriving, hasBody } from '../read-body.js'
import { kIsBodyTaken } from '../symbol-fields.js'

/**
 * Ends a response so that the client can detect that it is incomplete (RFC 9112, 8): sends everything that has been
 * written, then closes the connection without the last chunk. If the client does not read, the connection is closed
 * immediately, because the client would otherwise keep it open.
 */
export function cutOff(res: Response): void {
  const { socket } = res
  // A response that is waiting for an earlier response on its connection has no socket and has not sent anything.
  if (socket === null || socket.destroyed || res.writableNeedDrain) return void res.destroy()
  // Node 26 passes the writes of this turn of the event loop to the connection at the end of the turn.
  while (res.writableCorked > 0) res.uncork()
  // `destroy` would drop the writes of this turn.
  if (typeof socket.destroySoon === 'function') socket.destroySoon()
  else socket.end(() => socket.destroy())
}

/**
 * The maximum number of bytes to read from a refused body. A client that writes its whole body first can then read the
 * response.
 */
const LINGER_BYTES = 1024 * 1024
/** The maximum number of milliseconds for which a refused body is read. */
const LINGER_MS = 1000

/** Whether the client could still be sending a body that will not be read. */
export function isUnread(req: Arriving): boolean {
  return !req.complete && !req.readableEnded && hasBody(req) && req[kIsBodyTaken] !== true
}

/**
 * Sends a response before the body of its request has been read, then closes the connection. Without `Connection:
 * close`, Node would continue to read everything that the client sends. If the connection were closed immediately, the
 * kernel would reset it, and the client might never receive the response. Therefore, the whole response is written
 * first, and its end waits until the rest of the body has arrived, a megabyte has been read or a second has passed,
 * whichever comes first.
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
  // The check of the body size paused the stream, and adding a listener does not resume a paused stream.
  req.on('data', onData).on('end', end).on('close', end).resume()
  // The connection will be closed anyway, so its errors are irrelevant. Without a listener, they would end the process.
  req.on('error', () => {})
}

/**
 * Makes a response ignore all later calls, because it was sent instead of the handler's response. Otherwise, a handler
 * that responds in a callback after its timeout would throw an uncaught `ERR_HTTP_HEADERS_SENT` error, so a slow
 * database would end the process.
 */
export function dropLaterCalls(res: ServerResponse): void {
  const chain = () => res
  const done = () => true
  Object.assign(res, {
    setHeader: chain,
    appendHeader: chain,
    removeHeader: () => {},
    writeHead: chain,
    flushHeaders: () => {},
    write: done,
    end: chain,
  })
}

const KEEPING = new WeakSet<object>()

/** Whether `keepFirstResponse` was called for a response. */
export function keepsFirstResponse(res: object): boolean {
  return KEEPING.has(res)
}

type Method = (this: unknown, ...args: unknown[]) => unknown

/**
 * Makes a response ignore calls that come too late, instead of throwing: changes to a head that has been sent, and all
 * calls after the end. The first response can begin later, and can be a stream.
 */
export function keepFirstResponse(res: ServerResponse): void {
  KEEPING.add(res)
  const methods = res as unknown as Record<string, Method>
  const replace = (name: string, isOver: () => boolean, late: unknown) => {
    const original = methods[name] as Method
    methods[name] = (...args) => (isOver() ? late : original.apply(res, args))
  }
  const isSent = () => res.headersSent
  for (const name of ['setHeader', 'appendHeader', 'writeHead']) replace(name, isSent, res)
  for (const name of ['removeHeader', 'flushHeaders']) replace(name, isSent, undefined)
  const isEnded = () => res.writableEnded
  replace('write', isEnded, true)
  replace('end', isEnded, res)
}
