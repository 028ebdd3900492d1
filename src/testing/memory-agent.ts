import { Agent, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { MemorySocket } from './memory-socket.js'

/** An HTTP agent whose connections lead straight into a server that listens nowhere. */
export class MemoryAgent extends Agent {
  readonly #server: Server
  readonly #onConnect: (serverSide: MemorySocket) => void
  readonly #sockets: Set<MemorySocket> = new Set()
  #isClosed = false

  /** @param onConnect Told of the server's end of every connection, before the server is. */
  constructor(server: Server, onConnect: (serverSide: MemorySocket) => void = () => {}) {
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
    this.#onConnect(server)
    // Documented use of the event: a server accepts any duplex stream this way.
    this.#server.emit('connection', server)
    return client
  }

  /** Cuts every connection, busy ones too, and refuses others. */
  override destroy(): void {
    this.#isClosed = true
    super.destroy()
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Opens no other connection, and gives up those that wait for a request. */
  refuse(): void {
    this.#isClosed = true
    for (const socket of Object.values(this.freeSockets).flat()) socket?.destroy()
  }

  /** Closes connections from which nobody reads, and would not notice that they have ended; what is unread stays. */
  disconnect(): void {
    for (const socket of this.#sockets) if (socket.readableLength === 0) socket.destroy()
  }
}

/** Fails two ticks from now: a request listens to its socket after one. */
function refused(client: Duplex): Duplex {
  const message = 'connect ECONNREFUSED: the application is closed'
  const error = Object.assign(new Error(message), { code: 'ECONNREFUSED', syscall: 'connect' })
  process.nextTick(() => process.nextTick(() => client.destroy(error)))
  return client
}
