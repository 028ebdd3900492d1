import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { respondsOn } from '../http/close-with-connection.js'
import { isStreaming, type TellStream } from './tell-stream.js'

/** What Node notes on a connection: not part of its documented interface. */
interface Parsed extends Socket {
  readonly parser?: { readonly incoming?: { readonly upgrade?: boolean } | null } | null
}

/**
 * The connections of a server. Node knows them, too, but tells only of those that are idle, and means by that answers which a slow
 * client is still taking, and not clients that have sent nothing yet. While the application runs, a connection is noted and no more;
 * what is under way on it is looked up when it closes.
 */
export class Connections {
  readonly #open = new Set<Socket>()
  /** Connections that were ended, and answers that were told to be the last of theirs. */
  readonly #told = new WeakSet<Socket | ServerResponse>()
  readonly #tell: TellStream
  #isClosing = false
  #notify: () => void = () => {}

  constructor(tell: TellStream) {
    this.#tell = tell
  }

  /** Notes a connection until it is closed. */
  add(socket: Socket): void {
    this.#open.add(socket)
    socket.on('close', () => {
      this.#open.delete(socket)
      this.#notify()
    })
    if (this.#isClosing) this.#look(socket)
  }

  /** Ends those on which nothing is under way, and tells the others that they are to end. */
  sweep(): void {
    this.#isClosing = true
    for (const socket of this.#open) this.#look(socket)
    this.#notify()
  }

  /** Waits until none is left that speaks HTTP. */
  quiet(): Promise<void> {
    return this.#until(() => !this.#speaksHttp)
  }

  /** Ends whatever is left, and waits for that. */
  async end(): Promise<void> {
    for (const socket of this.#open) end(socket)
    await this.#until(() => this.#open.size === 0)
  }

  /** Cuts whatever is left. */
  cut(): void {
    for (const socket of this.#open) socket.destroy()
  }

  get #speaksHttp(): boolean {
    for (const socket of this.#open) if (!isUpgraded(socket)) return true
    return false
  }

  #look(socket: Socket): void {
    if (isUpgraded(socket)) return
    const answers = respondsOn(socket)
    // Those before it are answered like any other; see `isBehindLast` for those that come behind it.
    const last = answers.at(-1)
    const subject = last ?? socket
    if (!this.#told.has(subject)) {
      this.#told.add(subject)
      if (last === undefined) end(socket)
      else this.#makeLast(last, socket)
    }
    for (const res of answers) if (isStreaming(res)) this.#tell(res)
  }

  /** One whose head is out cannot say so any more. */
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

/** Whether the connection is the program's, since an `Upgrade` or a `CONNECT`: Node has taken its parser away. */
function isUpgraded({ parser }: Parsed): boolean {
  return parser == null || parser.incoming?.upgrade === true
}

/** Sends what was written, and closes. */
function end(socket: Socket): void {
  // Whatever was handed to the server as a connection need not be a socket.
  if (typeof socket.destroySoon === 'function') socket.destroySoon()
  else socket.end(() => socket.destroy())
}
