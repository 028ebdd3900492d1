import { Agent, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { MemorySocket } from './memory-socket.js'

/** An HTTP agent whose connections lead straight into a server that listens nowhere. */
export class MemoryAgent extends Agent {
  readonly #server: Server
  readonly #sockets: Set<MemorySocket> = new Set()

  constructor(server: Server) {
    super({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
    this.#server = server
  }

  override createConnection(): Duplex {
    const [client, server] = MemorySocket.pair()
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    }
    // Documented use of the event: a server accepts any duplex stream this way.
    this.#server.emit('connection', server)
    return client
  }

  /** Cuts every connection, busy ones too. */
  override destroy(): void {
    super.destroy()
    for (const socket of this.#sockets) socket.destroy()
  }
}
