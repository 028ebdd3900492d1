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
    const [client, server] = [new MemorySocket(), new MemorySocket()]
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
    const peer = this.#peer
    this.#peer = undefined
    done(error)
    if (peer === undefined) return
    process.nextTick(() => {
      if (peer.destroyed) return
      // A reader that has seen the end only needs to close; any other has lost its connection.
      const isCut = !peer.readableEnded && !this.writableFinished
      peer.destroy(isCut ? connectionReset() : undefined)
    })
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
