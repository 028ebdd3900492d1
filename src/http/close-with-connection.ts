import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Responses that are waiting for earlier responses on the same connection. */
const waiting = new WeakMap<Socket, Set<ServerResponse>>()
/**
 * The newest waiting response of each connection, and the predecessor of each waiting response. Without them, each
 * request would search all waiting responses, and a client can send any number of requests at once.
 */
const newest = new WeakMap<Socket, ServerResponse>()
const earlier = new WeakMap<ServerResponse, PendingResponse>()

/**
 * Closes a waiting response when its connection closes. Before version 24, Node closes only the response that is
 * currently being written. A pipelined request would never detect that its client has disconnected, so transactions,
 * `req.signal` and shutdown would wait forever for the end of the request.
 */
export function closeWithConnection({ socket }: IncomingMessage, res: ServerResponse): void {
  // Serverless platforms create requests without a real connection.
  if (typeof socket?.once !== 'function') return
  if (socket.closed) return close(res)
  const responses = waiting.get(socket) ?? watch(socket)
  if (!responses.has(res)) {
    const before = newestOn(socket)
    if (before !== undefined) earlier.set(res, before)
    newest.set(socket, res)
    responses.add(res)
  }
  // From now on, Node closes this response.
  res.once('socket', () => responses.delete(res))
}

function watch(socket: Socket): Set<ServerResponse> {
  const responses = new Set<ServerResponse>()
  waiting.set(socket, responses)
  socket.once('close', () => {
    for (const res of responses) close(res)
  })
  return responses
}

/** Closes a response in the same way as Node. */
function close(res: ServerResponse): void {
  if (!res.closed) Object.assign(res, { destroyed: true, _closed: true }).emit('close')
}

/**
 * Whether an earlier response on this connection is, or will be, the last response. Node still parses later requests
 * from the same packet, but they must not be processed (RFC 9112, section 9.6), and their responses would not be sent.
 * For example, if a request was refused because a proxy could read it differently, the bytes after it must not be
 * processed as a request.
 *
 * @param res The response to the request. If another application already added it to the waiting responses, it does not
 * count as an earlier response.
 */
export function isAfterLast({ socket }: IncomingMessage, res: ServerResponse): boolean {
  const last = socket == null ? undefined : newestOn(socket)
  const before = last && (earlier.get(res) ?? last)
  if (before === undefined || before === res) return false
  return before.headersSent ? before._last === true : !before.shouldKeepAlive
}

/** Returns the last pending response of a connection. */
function newestOn(socket: Socket): PendingResponse | undefined {
  const { _httpMessage: first } = socket as Partial<PendingResponses>
  if (first == null) return undefined
  return waiting.get(socket)?.size ? newest.get(socket) : first
}

/** Returns the pending responses of a connection, in the order of their requests. */
export function respondsOn(socket: Socket): readonly PendingResponse[] {
  const { _httpMessage: first } = socket as Partial<PendingResponses>
  return first == null ? [] : [first, ...(waiting.get(socket) ?? [])]
}

/** Undocumented properties that Node sets on a connection and a response. */
interface PendingResponses {
  readonly _httpMessage: PendingResponse | null
}
type PendingResponse = ServerResponse & { readonly _last?: boolean }

/**
 * Whether the connection of the current response has been closed. The response's own `destroyed` becomes true a little
 * later. A response without a connection must be destroyed, not ended. If several requests arrived in one packet, Node
 * can start a later request on a connection that is already destroyed. Ending the response to that request would end
 * the process (`ERR_INTERNAL_ASSERTION`).
 */
export function hasLostConnection({ socket }: ServerResponse): boolean {
  return socket?.destroyed === true
}
