import type { ServerResponse } from 'node:http'
import { Server, type Socket } from 'node:net'
import { every } from '../deadline.js'
import type { Address, Place, PlainError } from '../protocol.js'
import type { Channel } from './channel.js'
import { readListen } from './place-of.js'

/** A connection without a byte of a request is ended so many milliseconds after `retire`: a browser opened it in advance. */
const SILENCE_MS = 200
/** The longest time that `retire` waits for responses, such as streams. */
const PATIENCE_MS = 2000
const LOOK_EVERY_MS = 20

/** A server that wants to listen, or listens. */
interface Asked {
  readonly server: Server
  readonly place: Place
  /** Lets the process end. */
  readonly release: () => void
}

/**
 * The servers of the application. Each `listen` on a port asks the command, which holds the port, and passes the connections.
 * So a port is never in use by a process that ends, and no connection is refused.
 */
export class Servers {
  readonly #channel: Channel
  readonly #onListening: () => void
  readonly #listen = Server.prototype.listen
  readonly #asked = new Map<number, Asked>()
  readonly #sockets = new Set<Socket>()
  #lastId = 0

  /** @param onListening Called when the first server listens. */
  constructor(channel: Channel, onListening: () => void) {
    this.#channel = channel
    this.#onListening = onListening
    this.#replaceListen()
  }

  #replaceListen(): void {
    const servers = this
    const real = this.#listen as (...args: unknown[]) => Server
    Server.prototype.listen = function listen(this: Server, ...args: unknown[]) {
      const request = readListen(args)
      if (request === null) return real.apply(this, args)
      if (request.onListening !== undefined) this.once('listening', request.onListening)
      servers.#ask(this, request.place)
      return this
    } as typeof Server.prototype.listen
  }

  #ask(server: Server, place: Place): void {
    const id = ++this.#lastId
    // A process that waits for the reply must not end.
    const release = this.#channel.hold()
    this.#asked.set(id, { server, place, release })
    if (this.#isTaken(place, id)) {
      const error = { message: 'address already in use', code: 'EADDRINUSE', syscall: 'listen' }
      return void process.nextTick(() => this.refuse(id, error))
    }
    this.#channel.send({ kind: 'listen', id, place })
  }

  /** Whether another server of this process has the port, as Node would find out. */
  #isTaken({ port, host }: Place, id: number): boolean {
    return [...this.#asked].some(
      ([other, { place }]) =>
        other !== id && port !== 0 && place.port === port && place.host === host,
    )
  }

  /** The command could not listen. */
  refuse(id: number, { message, code, syscall }: PlainError): void {
    const asked = this.#asked.get(id)
    if (asked === undefined) return
    this.#asked.delete(id)
    asked.release()
    const { port, host: address } = asked.place
    asked.server.emit('error', Object.assign(new Error(message), { code, syscall, address, port }))
  }

  /**
   * The command listens for a server. Node's own state (`listening`, `close`, `ref`) comes from a socket of this process that
   * nobody knows, on the loopback address.
   */
  open(id: number, address: Address): void {
    const asked = this.#asked.get(id)
    if (asked === undefined) return
    const { server, release } = asked
    server.once('close', () => {
      this.#asked.delete(id)
      release()
    })
    server.once('listening', () => {
      this.#channel.send({ kind: 'listening' })
      this.#onListening()
    })
    closeAfterEachResponse(server)
    this.#listen.call(server, { port: 0, host: '127.0.0.1' } as never)
    server.address = () => (server.listening ? { ...address } : null)
  }

  /** Passes a connection to the server for which the command has accepted it. */
  accept(id: number, socket: Socket): void {
    const server = this.#asked.get(id)?.server
    if (server === undefined) return void socket.destroy()
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    // Node's server sets this for its own connections; it must be set before the client ends its side.
    socket.allowHalfOpen = true
    server.emit('connection', socket)
    // The command has paused the connection, so that it read no byte.
    socket.resume()
  }

  /** Waits until the requests that have arrived have their responses, but not for ever. */
  async settle(): Promise<void> {
    let waitedMs = 0
    await new Promise<void>((resolve) => {
      const stop = every(LOOK_EVERY_MS, () => {
        waitedMs += LOOK_EVERY_MS
        if (this.#isSettled(waitedMs) || waitedMs >= PATIENCE_MS) {
          stop()
          resolve()
        }
      })
    })
  }

  #isSettled(waitedMs: number): boolean {
    return [...this.#sockets].every(({ bytesRead }) => bytesRead === 0 && waitedMs >= SILENCE_MS)
  }
}

/** For servers of HTTP: the next request of a client needs a new connection, which reaches the newest process. */
function closeAfterEachResponse(server: Server): void {
  server.prependListener('request', (_req: unknown, res: ServerResponse) => {
    res.shouldKeepAlive = false
  })
}
