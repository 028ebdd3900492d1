import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** Where a connection is cut that a client sends some text on. */
export type Moment = 'before' | 'after'

/** Stands before a server and holds its answers back: as slow and as broken a network as a test wants, whatever the machine. */
export class Gate implements AsyncDisposable {
  readonly port: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #pairs = new Set<Pair>()
  #held: (() => void)[] | undefined
  #isCut = false
  #trap: Trap | undefined
  #delayMs = 0

  private constructor(server: Server, port: number) {
    this.#server = server
    this.port = port
  }

  static async before(port: number): Promise<Gate> {
    const server = createServer((client) => gate.#join(client, connect(port, '127.0.0.1')))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const gate = new Gate(server, address.port)
    return gate
  }

  /** Ends every connection, and every new one at once. */
  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
  }

  mend(): void {
    this.#isCut = false
  }

  /** What the connections of now send is kept under way, even when who sent it has left; new ones are not concerned. */
  stall(): void {
    for (const pair of this.#pairs) pair.stalled ??= []
  }

  /** Lets what was under way arrive. */
  unstall(): void {
    for (const { stalled, server } of this.#pairs)
      for (const data of stalled ?? []) server.write(data)
  }

  /** From now on no answer goes through. */
  hold(): void {
    this.#held ??= []
  }

  /** Lets through what was held back, and what comes. */
  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const pass of held) pass()
  }

  /** From now on every answer comes so much later. */
  delay(ms: number): void {
    this.#delayMs = ms
  }

  /**
   * Ends the connection on which a client next sends a text: before the server has seen it, or once the server has answered with
   * the same text. The client hears nothing of what the server says from then on.
   *
   * @param text Compared without regard to case.
   * @returns when it has happened.
   */
  cutAt(moment: Moment, text: string): Promise<void> {
    return new Promise((happened) => {
      this.#trap = { moment, text: text.toLowerCase(), happened }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(client: Socket, server: Socket): void {
    if (this.#isCut) {
      client.destroy()
      server.destroy()
      return
    }
    const pair: Pair = { client, server, stalled: undefined, trap: undefined }
    this.#pairs.add(pair)
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.setNoDelay()
    }
    client.on('close', () => pair.stalled === undefined && server.destroy())
    server.on('close', () => client.destroy())
    client.on('data', (data) => this.#send(pair, data))
    server.on('data', (data) => this.#answer(pair, data))
  }

  #send(pair: Pair, data: Buffer): void {
    const trap = this.#trap
    if (trap !== undefined && holds(data, trap)) {
      this.#trap = undefined
      pair.trap = trap
      if (trap.moment === 'before') return spring(pair)
    }
    if (pair.stalled === undefined) pair.server.write(data)
    else pair.stalled.push(data)
  }

  #answer(pair: Pair, data: Buffer): void {
    if (pair.trap !== undefined) {
      if (holds(data, pair.trap)) spring(pair)
      return
    }
    const pass = () => pair.client.write(data)
    if (this.#held !== undefined) this.#held.push(pass)
    else if (this.#delayMs > 0) setTimeout(pass, this.#delayMs)
    else pass()
  }
}

function holds(data: Buffer, { text }: Trap): boolean {
  return data.toString('latin1').toLowerCase().includes(text)
}

function spring({ client, server, trap }: Pair): void {
  client.destroy()
  server.destroy()
  trap?.happened()
}

/** What cuts a connection. */
interface Trap {
  readonly moment: Moment
  readonly text: string
  happened(): void
}

/** A connection, and what of it is stalled. */
interface Pair {
  readonly client: Socket
  readonly server: Socket
  stalled: Buffer[] | undefined
  /** The one that it is in. */
  trap: Trap | undefined
}
