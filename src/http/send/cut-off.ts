import type { Response } from '../../contracts/handler.js'

/**
 * Ends a response so that its client sees that it is incomplete (RFC 9112, 8): everything that was written is sent, and
 * then the connection is closed without the last chunk. A client that does not read would keep the connection open: its
 * connection is closed at once.
 */
export function cutOff(res: Response): void {
  const { socket } = res
  // A response that waits for an earlier one on its connection has no socket, and has sent nothing.
  if (socket === null || socket.destroyed || res.writableNeedDrain) return void res.destroy()
  // Node 26 passes the writes of this turn of the event loop to the connection at the end of the turn.
  while (res.writableCorked > 0) res.uncork()
  // `destroy` would drop the writes of this turn.
  if (typeof socket.destroySoon === 'function') socket.destroySoon()
  else socket.end(() => socket.destroy())
}
