import type { Duplex } from 'node:stream'
import type { Response } from '../contracts/handler.js'
import type { BlazonRequest } from '../http/request.js'
import type { RequestObservers } from './observe-requests.js'

/**
 * How many bytes a client can still send after a parse error while its earlier requests are served. Node's parser
 * rejects each further chunk again.
 */
const MOST_UNREADABLE_BYTES = 1024 * 1024
/** How long a client has to read the response and close its side of the connection. */
const LINGER_MS = 1000

/** Properties that Node sets on a connection. They are not part of its documented interface. */
interface Connection extends Duplex {
  /** The response that currently writes to the connection. */
  readonly _httpMessage?: Response | null
  readonly bytesRead?: number
}

/**
 * Returns the response to a parser error, as text to send. `req` is the request whose body is malformed or did not
 * arrive in time; `undefined` if there is no request yet.
 */
export type ResponseText = (error: NodeJS.ErrnoException, req: BlazonRequest | undefined) => string

/** The parts of an application that respond to parser errors. */
export interface ClientErrorConfig {
  readonly responseTo: ResponseText
  /** The observers of all requests; `null` if no plugin observes them. */
  readonly observers: RequestObservers | null
}

/**
 * Connections with a parse error, and the number of bytes that each connection had received when the error occurred.
 */
const refusedAt = new WeakMap<Connection, number>()

/**
 * Responds to bytes that Node's parser could not read as a request, and to requests that did not arrive in time. The
 * connection is closed afterwards. Earlier requests on the same connection receive their responses first, with the
 * usual time limits.
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
  // Either no response is pending, or the pending response belongs to the malformed request, and this response replaces
  // it.
  if (pending === null || hasNoResponse(pending)) {
    const { req } = pending ?? {}
    const text = config.responseTo(error, req as BlazonRequest | undefined)
    if (!socket.destroyed) config.observers?.refused(text, pending)
    return end(socket, text)
  }
  // Bytes that are written during the response to an earlier request would become a part of that response, so wait
  // until it has been sent. If the pending response has begun and belongs to the malformed request, it may never
  // finish, so close the connection.
  if (pending.req.complete) pending.once('finish', () => refuse(error, socket, config))
  else end(socket, '')
}

function hasNoResponse({ headersSent, req }: Response): boolean {
  return !headersSent && !req.complete
}

/**
 * Closes a connection after all written bytes have been sent. If the client is still sending, destroying the connection
 * immediately would make the client lose the response.
 */
function end(socket: Connection, response: string): void {
  if (socket.destroyed) return
  if (socket.writable) socket.end(response)
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  timer.unref()
  socket.once('close', () => clearTimeout(timer))
}
