import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Responses that wait for their turn, by connection. */
const waiting = new WeakMap<Socket, Set<ServerResponse>>()

/**
 * Closes a response that waits for others of its connection when that connection closes. Before version 24, Node closes only the
 * one whose turn it is: a pipelined request would never learn that its client has gone, and what waits for its end (transactions,
 * `req.signal`, the closing of the application) would wait in vain.
 */
export function closeWithConnection({ socket }: IncomingMessage, res: ServerResponse): void {
  // Whoever stands in for Node, on serverless platforms for one, may have no connection.
  if (typeof socket?.once !== 'function') return
  if (socket.closed) return close(res)
  const responses = waiting.get(socket) ?? watch(socket)
  responses.add(res)
  // When its turn has come, Node closes it.
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

/** As Node does it. */
function close(res: ServerResponse): void {
  if (!res.closed) Object.assign(res, { destroyed: true, _closed: true }).emit('close')
}

/**
 * Whether the answer that stands before this request says that it is the last, or is going to. Node reads on in what came in the same
 * packet; it is not to be processed (RFC 9112, 9.6), and no answer to it would be sent. Whoever has refused a request because another
 * reader may see other requests here would otherwise carry out the next of them.
 */
export function isBehindLast({ socket }: IncomingMessage): boolean {
  const before = socket == null ? undefined : respondsOn(socket).at(-1)
  if (before === undefined) return false
  return before.headersSent ? before._last === true : !before.shouldKeepAlive
}

/** The answers that are under way on a connection, in the order of their requests. */
export function respondsOn(socket: Socket): readonly Answer[] {
  const { _httpMessage: first } = socket as Partial<Answering>
  return first == null ? [] : [first, ...(waiting.get(socket) ?? [])]
}

/** What Node notes on a connection and an answer: not part of its documented interface. */
interface Answering {
  readonly _httpMessage: Answer | null
}
type Answer = ServerResponse & { readonly _last?: boolean }

/**
 * Whether the connection of a response whose turn it is has been cut, which its own `destroyed` says only a little later. Such a
 * response is destroyed and not ended: of several requests that came in one packet, Node may read the later ones on a connection
 * that it has cut already, and an answer that has begun and is ended there ends the process (`ERR_INTERNAL_ASSERTION`).
 */
export function hasLostConnection({ socket }: ServerResponse): boolean {
  return socket?.destroyed === true
}
