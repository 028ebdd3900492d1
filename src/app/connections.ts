import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { respondsOn } from '../http/close-with-connection.js'
import { isStreaming, type NotifyStream } from './notify-stream.js'

/** Properties that Node sets on a connection. They are not part of its documented interface. */
interface Parsed extends Socket {
  readonly parser?: { readonly incoming?: { readonly upgrade?: boolean } | null } | null
}

/**
 * The open connections of a server. Node's own list of idle connections cannot be used: it contains connections
 * with a response that a slow client is still receiving, and it lacks clients that have not sent anything yet.
 * Before closing, a connection is only added here. Its pending responses are looked up at closing.
 */
export class Connections {
  readonly #open = new Set<Socket>()
  /** Connections that were ended, and responses that were made the last one of their connection. */
  readonly #notified = new WeakSet<Socket | ServerResponse>()
  readonly #notifyStream: NotifyStream
  #isClosing = false
  #notify: () => void = () => {}

  constructor(notifyStream: NotifyStream) {
    this.#notifyStream = notifyStream
  }

  /** Stores a connection until it is closed. */
  add(socket: Socket): void {
    this.#open.add(socket)
    socket.on('close', () => {
      this.#open.delete(socket)
      this.#notify()
    })
    if (this.#isClosing) this.#look(socket)
  }

  /**
   * Ends idle connections. On all others it makes the last pending response announce the end of the connection.
   */
  sweep(): void {
    this.#isClosing = true
    for (const socket of this.#open) this.#look(socket)
    this.#notify()
  }

  /** Waits until no connection is left that speaks HTTP. */
  quiet(): Promise<void> {
    return this.#until(() => !this.#speaksHttp)
  }

  /** Ends all remaining connections, and waits until they are closed. */
  async end(): Promise<void> {
    for (const socket of this.#open) end(socket)
    await this.#until(() => this.#open.size === 0)
  }

  /** Destroys all remaining connections. */
  cut(): void {
    for (const socket of this.#open) socket.destroy()
  }

  get #speaksHttp(): boolean {
    for (const socket of this.#open) if (!isUpgraded(socket)) return true
    return false
  }

  #look(socket: Socket): void {
    if (isUpgraded(socket)) return
    const responses = respondsOn(socket)
    // Earlier responses are sent as usual. `isAfterLast` handles requests that arrive after this one.
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
   * Makes a response announce the end of its connection. If its headers are sent, the header can no longer be
   * added.
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
 * Whether the connection was taken over by the application after an `Upgrade` or `CONNECT`. Node then has
 * removed its parser.
 */
function isUpgraded({ parser }: Parsed): boolean {
  return parser == null || parser.incoming?.upgrade === true
}

/** Sends the bytes that are written already, and closes the connection. */
function end(socket: Socket): void {
  // A program may pass any stream to the server as a connection, so `destroySoon` can be missing.
  if (typeof socket.destroySoon === 'function') socket.destroySoon()
  else socket.end(() => socket.destroy())
}
