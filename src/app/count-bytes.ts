import type { Socket } from 'node:net'
import { kSentBytes } from '../http/symbol-fields.js'

/**
 * A connection, with the number of bytes it had sent when its last observed request was over. The field does not exist until
 * an application that counts bytes observes a request: under Node 20, reading the number takes as long as everything else
 * that observing takes.
 */
export interface ObservedSocket extends Socket {
  [kSentBytes]?: number
}

/** Counts the bytes of a connection from now on. On a serverless platform there may be no connection. */
export function countBytesFrom(socket: ObservedSocket | null): void {
  if (socket && socket[kSentBytes] === undefined) socket[kSentBytes] = socket.bytesWritten ?? 0
}

/** Returns the bytes that a connection has sent since its last observed request; 0 if they are not counted. */
export function sentBytes(socket: ObservedSocket | null): number {
  const before = socket?.[kSentBytes]
  if (!socket || before === undefined) return 0
  const sent = socket.bytesWritten
  if (!(sent > 0)) return 0
  socket[kSentBytes] = sent
  return sent - before
}
