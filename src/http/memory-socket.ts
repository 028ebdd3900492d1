import { Duplex } from 'node:stream'

/** The properties of a connection that a server reads to identify the client. */
export interface ConnectionOrigin {
  readonly remoteAddress: string | undefined
  /** `'IPv4'` or `'IPv6'`. */
  readonly remoteFamily: string | undefined
  /** Whether the client's requests are encrypted, as on a `node:tls` socket. */
  readonly encrypted: boolean
}

const LOOPBACK: ConnectionOrigin = {
  remoteAddress: '127.0.0.1',
  remoteFamily: 'IPv4',
  encrypted: false,
}

/**
 * One end of an in-memory connection. It has the socket members that Node's HTTP code uses, so Node's real parser,
 * server and client work with it.
 */
export class MemorySocket extends Duplex {
  readonly remoteAddress: string | undefined
  readonly remoteFamily: string | undefined
  readonly remotePort: number = 0
  readonly encrypted: boolean
  readonly connecting: boolean = false
  /** The number of received bytes, as on a network socket. */
  bytesRead = 0
  #written = 0
  #peer: MemorySocket | undefined
  #resumePeer: (() => void) | undefined

  private constructor(origin: ConnectionOrigin, allowHalfOpen: boolean) {
    super({ allowHalfOpen })
    this.remoteAddress = origin.remoteAddress
    this.remoteFamily = origin.remoteFamily
    this.encrypted = origin.encrypted
  }

  /**
   * Creates two connected ends: data written to one end is read from the other.
   *
   * @param origin The client, as reported by the server's end. Default: an unencrypted connection from this machine.
   */
  static pair(origin: ConnectionOrigin = LOOPBACK): [client: MemorySocket, server: MemorySocket] {
    // A client's socket closes when the server ends the connection. The server's socket stays half open until
    // the server closes it.
    const client = new MemorySocket(LOOPBACK, false)
    const server = new MemorySocket(origin, true)
    client.#peer = server
    server.#peer = client
    return [client, server]
  }

  override _read(): void {
    const resume = this.#resumePeer
    this.#resumePeer = undefined
    resume?.()
  }

  /** The number of bytes sent, including bytes that are still waiting. */
  get bytesWritten(): number {
    return this.#written + this.writableLength
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const sent = () => {
      this.#written += chunk.length
      done()
    }
    this.#deliver((peer) => {
      peer.bytesRead += chunk.length
      // `push` returns false when the peer's buffer is full. The writer then waits, as with a full TCP window.
      if (peer.push(chunk)) sent()
      else peer.#resumePeer = sent
    }, done)
  }

  override _final(done: () => void): void {
    this.#deliver((peer) => {
      peer.push(null)
      done()
    }, done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    // As in TCP, closing with unread data resets the connection. Otherwise, the peer receives the end of the stream.
    const isReset = this.readableLength > 0 || this.#resumePeer !== undefined
    this.#deliver(
      (peer) => {
        peer.#peer = undefined
        if (isReset) peer.destroy(connectionReset())
        else if (!peer.readableEnded) peer.push(null)
      },
      () => {},
    )
    done(error)
  }

  /** Waits a tick, so that the code of one end never runs inside the `write` of the other. */
  #deliver(action: (peer: MemorySocket) => void, otherwise: () => void): void {
    process.nextTick(() => {
      const peer = this.#peer
      if (peer === undefined || peer.destroyed) otherwise()
      else action(peer)
    })
  }

  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  address(): object {
    return {}
  }

  // An in-memory connection has no network, so timeouts, delays and references have no effect.
  setTimeout(): this {
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}

function connectionReset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })
}
