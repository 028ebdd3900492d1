import type { Duplex } from 'node:stream'
import type { Response } from '../contracts/handler.js'
import type { BlazonRequest } from '../http/request.js'
import type { RequestObservers } from './observe-requests.js'

/**
 * How many bytes a client may still send after a parse error while earlier requests are served. Node's parser
 * rejects each chunk again.
 */
const MOST_UNREADABLE_BYTES = 1024 * 1024
/** How long a client may take to close its side of the connection. It can read the response in this time. */
const LINGER_MS = 1000

/** Properties that Node sets on a connection. They are not part of its documented interface. */
interface Connection extends Duplex {
  /** The response that currently writes to the connection. */
  readonly _httpMessage?: Response | null
  readonly bytesRead?: number
}

/**
 * Returns the response to an error of the parser, as text to be sent. `req` is the request whose body is broken;
 * `undefined` if there is no request yet.
 */
export type ResponseText = (error: NodeJS.ErrnoException, req: BlazonRequest | undefined) => string

/** The parts of an application that respond to errors of the parser. */
export interface ClientErrorConfig {
  readonly responseTo: ResponseText
  /** `null` if no plugin observes all requests. */
  readonly observers: RequestObservers | null
}

/** Connections with a parse error, and the number of bytes that each had received by then. */
const refusedAt = new WeakMap<Connection, number>()

/**
 * Responds to bytes that Node's parser could not read as a request, and to requests that did not arrive in
 * time. The connection is closed afterwards. Earlier requests on the same connection get their responses first,
 * with no less time than usual.
 */
export function handleClientError(
  error: NodeJS.ErrnoException,
  socket: Connection,
  config: ClientErrorConfig,
): void {
  if (error.code === 'ECONNRESET') return void socket.destroy()
  const { bytesRead = 0 } = socket
  const before = refusedAt.get(socket)
  if (before === undefined) {
    refusedAt.set(socket, bytesRead)
    refuse(error, socket, config)
  } else if (bytesRead - before > MOST_UNREADABLE_BYTES) socket.destroy()
}

function refuse(error: NodeJS.ErrnoException, socket: Connection, config: ClientErrorConfig): void {
  // The previous response was the last one of this connection.
  if (!socket.writable) return end(socket, '')
  const pending = socket._httpMessage ?? null
  // Either no response is pending, or the pending one belongs to the broken request. This response then takes
  // its place.
  if (pending === null || hasNoResponse(pending)) {
    const { req } = pending ?? {}
    const text = config.responseTo(error, req as BlazonRequest | undefined)
    if (!socket.destroyed) config.observers?.refused(text, pending)
    return end(socket, text)
  }
  // Bytes written into the response to an earlier request would become a part of it, so wait until that is
  // sent. If the pending response has begun and belongs to the broken request, it may never finish: close.
  if (pending.req.complete) pending.once('finish', () => refuse(error, socket, config))
  else end(socket, '')
}

function hasNoResponse({ headersSent, req }: Response): boolean {
  return !headersSent && !req.complete
}

/**
 * Closes a connection after all written bytes are sent. If the client is still sending, cutting the connection
 * at once would make it lose the response.
 */
function end(socket: Connection, response: string): void {
  if (socket.destroyed) return
  if (socket.writable) socket.end(response)
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  timer.unref()
  socket.once('close', () => clearTimeout(timer))
}
