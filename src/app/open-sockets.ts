import type { Socket } from 'node:net'

/** How many connections may have closed before they are forgotten, beside as many as are open. */
const FEW = 64

/**
 * The open connections of a server. A listener for the end of each would take 250 bytes of an idle connection, because
 * Node adds and removes another one for each response, and a list of listeners keeps the room for it
 * (`npm run bench:idle`). So connections are known by weak references, and get a listener only when the application
 * closes. Closed ones are forgotten when they outnumber the others, which is constant work for each connection.
 */
export class OpenSockets {
  #known: WeakRef<Socket>[] = []
  #most = FEW
  #watched: Set<Socket> | null = null
  readonly #closed: () => void

  /** @param closed Called after each end of a connection, once {@link watch} was called. */
  constructor(closed: () => void) {
    this.#closed = closed
  }

  /** Stores a connection until it is closed. */
  add(socket: Socket): void {
    if (this.#watched !== null) return this.#follow(socket, this.#watched)
    if (this.#known.length >= this.#most) this.#forgetClosed()
    this.#known.push(new WeakRef(socket))
  }

  /** Lists the open connections. */
  list(): Socket[] {
    if (this.#watched !== null) return [...this.#watched]
    return this.#known.flatMap((known) => {
      const socket = known.deref()
      return socket !== undefined && isOpen(socket) ? [socket] : []
    })
  }

  /** Returns the open connections, which from now on lose each that closes. */
  watch(): ReadonlySet<Socket> {
    if (this.#watched !== null) return this.#watched
    const watched = new Set<Socket>()
    for (const socket of this.list()) this.#follow(socket, watched)
    this.#known = []
    this.#watched = watched
    return watched
  }

  #follow(socket: Socket, watched: Set<Socket>): void {
    watched.add(socket)
    socket.on('close', () => {
      watched.delete(socket)
      this.#closed()
    })
  }

  #forgetClosed(): void {
    this.#known = this.#known.filter((known) => {
      const socket = known.deref()
      return socket !== undefined && isOpen(socket)
    })
    this.#most = 2 * this.#known.length + FEW
  }
}

/** A program may pass any stream to the server as a connection, so `closed` can be missing. */
function isOpen({ closed, destroyed }: Partial<Pick<Socket, 'closed' | 'destroyed'>>): boolean {
  return !(closed ?? destroyed)
}
