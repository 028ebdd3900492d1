import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { WorkerLink } from '../contracts/worker.js'
import type { Connections } from './connections.js'

/**
 * Gives the idle connections of a server to other workers. To end them would lose the requests that clients send at that
 * moment, and those do not know whether such a request has run.
 */
export function passConnections(
  { server, connections }: { readonly server: Server; readonly connections: Connections },
  link: WorkerLink,
): void {
  const readByNode = new Set(idleByNode(server, connections.list()))
  for (const socket of connections.list()) {
    const isUnread = socket.bytesRead === 0 || readByNode.has(socket)
    if (!isUnread || !connections.isIdle(socket)) continue
    connections.leave(socket)
    link.pass(server, socket)
  }
}

/**
 * The connections on which no part of a request has been read: bytes that a process has read are lost for another one. Only Node
 * knows, and it says so only by ending them.
 */
function idleByNode(server: Server, connections: readonly Socket[]): Socket[] {
  const found: Socket[] = []
  for (const socket of connections) {
    socket.destroy = () => {
      found.push(socket)
      return socket
    }
  }
  // The method of the instance does nothing while the application closes.
  Object.getPrototypeOf(server).closeIdleConnections.call(server)
  for (const socket of connections) delete (socket as { destroy?: unknown }).destroy
  return found
}
