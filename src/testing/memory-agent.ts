import { Agent, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { MemorySocket } from '../http/memory-socket.js'

/** Receives the two ends of a connection. */
export type OnConnect = (serverEnd: MemorySocket, clientEnd: MemorySocket) => void

/**
 * An HTTP agent whose connections lead directly to a server in the same process. The server does not listen on a port.
 */
export class MemoryAgent extends Agent {
  readonly #server: Server
  readonly #onConnect: OnConnect
  readonly #sockets: Set<MemorySocket> = new Set()
  #isClosed = false

  /** @param onConnect Receives the two ends of every new connection, before the server receives the connection. */
  constructor(server: Server, onConnect: OnConnect = () => {}) {
    super({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
    this.#server = server
    this.#onConnect = onConnect
  }

  override createConnection(): Duplex {
    const [client, server] = MemorySocket.pair()
    if (this.#isClosed) return refused(client)
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    }
    this.#onConnect(server, client)
    // Node documents this use of the event: a server accepts any duplex stream in this way.
    this.#server.emit('connection', server)
    return client
  }

  /** Closes all connections, including busy connections, and refuses new ones. */
  override destroy(): void {
    this.#isClosed = true
    super.destroy()
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Refuses new connections and closes idle connections. */
  refuse(): void {
    this.#isClosed = true
    for (const socket of Object.values(this.freeSockets).flat()) socket?.destroy()
  }

  /**
   * Closes connections without unread data. A client that does not read would not detect that the server has ended a
   * connection.
   */
  disconnect(): void {
    for (const socket of this.#sockets) if (socket.readableLength === 0) socket.destroy()
  }
}

/** Emits the error two ticks later, because the request attaches its error listener after one tick. */
function refused(client: Duplex): Duplex {
  const message = 'connect ECONNREFUSED: the application is closed'
  const error = Object.assign(new Error(message), { code: 'ECONNREFUSED', syscall: 'connect' })
  process.nextTick(() => process.nextTick(() => client.destroy(error)))
  return client
}
