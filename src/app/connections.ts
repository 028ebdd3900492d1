import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { respondsOn } from '../http/close-with-connection.js'
import { isStreaming, type NoteCut, type NotifyStream } from './closing.js'

/** Properties that Node sets on a connection. They are not part of its documented interface. */
interface Parsed extends Socket {
  readonly parser?: { readonly incoming?: { readonly upgrade?: boolean } | null } | null
}

/**
 * The open connections of a server. Node's own list of idle connections cannot be used: it includes connections with a
 * response that a slow client is still receiving, and lacks clients that have not sent anything yet. Pending responses
 * are not stored: they are looked up when the application closes.
 */
export class Connections {
  readonly #sockets = new OpenSockets(() => this.#notify())
  /** The connections that have been ended, and the responses that have become the last response on their connection. */
  readonly #notified = new WeakSet<Socket | ServerResponse>()
  readonly #notifyStream: NotifyStream
  /** The number of consecutive sweeps that found a connection without a request. */
  readonly #idleSweeps = new WeakMap<Socket, number>()
  #isClosing = false
  #notify: () => void = () => {}

  constructor(notifyStream: NotifyStream) {
    this.#notifyStream = notifyStream
  }

  /** Whether the server has stopped accepting requests. */
  get isClosing(): boolean {
    return this.#isClosing
  }

  /** Stores a connection until it is closed. */
  add(socket: Socket): void {
    this.#sockets.add(socket)
    if (this.#isClosing) this.#look(socket)
  }

  /**
   * Prepares closing: adds `Connection: close` to the last pending response on each connection, and records which
   * connections are idle.
   */
  announce(): void {
    for (const socket of this.#open) {
      const last = respondsOn(socket).at(-1)
      if (last !== undefined) last.shouldKeepAlive = false
      this.#countIdle(socket)
    }
  }

  /**
   * Ends connections that were idle for a number of sweeps. On each connection with pending responses, adds
   * `Connection: close` to the last response, and notifies the handlers of streams.
   *
   * @param idleSweeps The number of sweeps. A request may still be in transit on a connection that appears to be idle.
   * With 0, the application does not wait for such a request.
   */
  sweep(idleSweeps: number): void {
    this.#isClosing = true
    for (const socket of this.#open) {
      if (this.#countIdle(socket) >= idleSweeps) this.#look(socket)
    }
    this.#notify()
  }

  /** Lists all connections. */
  list(): Socket[] {
    return this.#sockets.list()
  }

  /** Waits until no HTTP connection is left. */
  quiet(): Promise<void> {
    return this.#until(() => !this.#speaksHttp)
  }

  /** Ends all remaining connections, and waits until they are closed. */
  async end(): Promise<void> {
    for (const socket of this.#open) end(socket)
    await this.#until(() => this.#open.size === 0)
  }

  /** Aborts the signals of all running requests. */
  abort(): void {
    for (const socket of this.#open) for (const res of respondsOn(socket)) this.#notifyStream(res)
  }

  /**
   * Destroys all remaining connections.
   *
   * @param note Called for each response that has not been sent completely.
   */
  cut(note: NoteCut): void {
    for (const socket of this.#open) {
      for (const res of respondsOn(socket)) note(res)
      socket.destroy()
    }
  }

  /** Read this set only to close the application, because `watch` adds a listener to each connection. */
  get #open(): ReadonlySet<Socket> {
    return this.#sockets.watch()
  }

  get #speaksHttp(): boolean {
    for (const socket of this.#open) if (!isUpgraded(socket)) return true
    return false
  }

  /**
   * Counts the sweeps since the last request on a connection. The result is infinite during a request, because the
   * response can announce the end of the connection immediately.
   */
  #countIdle(socket: Socket): number {
    if (respondsOn(socket).length > 0) {
      this.#idleSweeps.delete(socket)
      return Number.POSITIVE_INFINITY
    }
    const count = this.#idleSweeps.get(socket) ?? 0
    this.#idleSweeps.set(socket, count + 1)
    return count
  }

  #look(socket: Socket): void {
    if (isUpgraded(socket)) return
    const responses = respondsOn(socket)
    // Earlier responses are sent as usual. `isAfterLast` handles requests that arrive after the request of the last
    // response.
    const last = responses.at(-1)
    const subject = last ?? socket
    if (!this.#notified.has(subject)) {
      this.#notified.add(subject)
      if (last === undefined) end(socket)
      else this.#makeLast(last, socket)
    }
    for (const res of responses) if (isStreaming(res)) this.#notifyStream(res)
  }

  /**
   * Ends a connection after a response, and adds `Connection: close` to the response unless its headers have already
   * been sent.
   */
  #makeLast(res: ServerResponse, socket: Socket): void {
    res.shouldKeepAlive = false
    res.once('close', () => this.#look(socket))
  }

  #until(isReached: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#notify = () => {
        if (isReached()) resolve()
      }
      this.#notify()
    })
  }
}

/**
 * Whether the application has taken over the connection after an `Upgrade` or `CONNECT`. Node has then removed its
 * parser.
 */
function isUpgraded({ parser }: Parsed): boolean {
  return parser == null || parser.incoming?.upgrade === true
}

/** Sends the bytes that have already been written, and closes the connection. */
function end(socket: Socket): void {
  // A program can pass any stream to the server as a connection, so `destroySoon` can be missing.
  if (typeof socket.destroySoon === 'function') socket.destroySoon()
  else socket.end(() => socket.destroy())
}

/** The number by which stored closed connections can exceed open connections. */
const FEW = 64

/**
 * The open connections of a server. A close listener would add 250 bytes to an idle connection (`npm run bench:idle`).
 * Node adds and removes another listener for each response, and the list of listeners retains the space for it.
 * Connections are therefore stored as weak references, and receive a listener only when the application closes. Closed
 * connections are removed when they outnumber the open connections, which is constant work per connection.
 */
export class OpenSockets {
  #known: WeakRef<Socket>[] = []
  #most = FEW
  #watched: Set<Socket> | null = null
  readonly #closed: () => void

  /** @param closed Called each time a connection has ended, but only after {@link watch} has been called. */
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

  /** Returns the set of open connections, which is updated from now on. */
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

/** A program can pass any stream to the server as a connection, so `closed` can be missing. */
function isOpen({ closed, destroyed }: Partial<Pick<Socket, 'closed' | 'destroyed'>>): boolean {
  return !(closed ?? destroyed)
}
