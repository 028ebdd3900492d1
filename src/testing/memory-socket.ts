import { Duplex } from 'node:stream'

/**
 * One end of a connection that lives in memory. It has what Node's HTTP code asks of a socket, so that
 * the real parser, the real server and the real client run on it.
 */
export class MemorySocket extends Duplex {
  readonly remoteAddress: string = '127.0.0.1'
  readonly remoteFamily: string = 'IPv4'
  readonly remotePort: number = 0
  readonly connecting: boolean = false
  #peer: MemorySocket | undefined
  #resumePeer: (() => void) | undefined

  /** Two ends that are connected: what is written to one is read from the other. */
  static pair(): [client: MemorySocket, server: MemorySocket] {
    // A client's socket closes when the server's end does; a server decides for itself.
    const client = new MemorySocket({ allowHalfOpen: false })
    const server = new MemorySocket()
    client.#peer = server
    server.#peer = client
    return [client, server]
  }

  override _read(): void {
    const resume = this.#resumePeer
    this.#resumePeer = undefined
    resume?.()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#deliver((peer) => {
      // A full buffer holds the writer back, as a full window would.
      if (peer.push(chunk)) done()
      else peer.#resumePeer = done
    }, done)
  }

  override _final(done: () => void): void {
    this.#deliver((peer) => {
      peer.push(null)
      done()
    }, done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    // As TCP does it: closing with unread data resets the connection, otherwise the peer sees the end.
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

  /** Waits a tick, so that no side runs inside the other's `write`. */
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

  // Nothing here waits on the network: timeouts, delays and references have no meaning.
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
