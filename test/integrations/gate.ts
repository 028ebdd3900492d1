import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** When a connection is cut: before the server receives a text of the client, or after it has replied to the text. */
export type Moment = 'before' | 'after'

/** A proxy in front of a server. A test can delay its replies, hold them back or cut its connections. */
export class Gate implements AsyncDisposable {
  readonly port: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #pairs = new Set<Pair>()
  #held: (() => void)[] | undefined
  #isCut = false
  #trap: Trap | undefined
  #delayMs = 0
  #target: number
  #words: readonly (readonly [said: string, heard: string])[] = []

  private constructor(server: Server, port: number, target: number) {
    this.#server = server
    this.port = port
    this.#target = target
  }

  static async before(port: number): Promise<Gate> {
    const server = createServer((client) => gate.#join(client, connect(gate.#target, '127.0.0.1')))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const gate = new Gate(server, address.port, port)
    return gate
  }

  /** Sends new connections to another server, as a name does whose address has changed. Present ones stay. */
  lead(port: number): void {
    this.#target = port
  }

  /** From now on, replaces texts of replies by others of the same length, as a server of another language sends them. */
  translate(...words: readonly (readonly [said: string, heard: string])[]): void {
    this.#words = words.map(([said, heard]) => [
      said,
      heard.padEnd(said.length).slice(0, said.length),
    ])
  }

  /** Ends every connection, and from now on each new connection as soon as it is made. */
  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
  }

  mend(): void {
    this.#isCut = false
  }

  /** Holds back what clients send on present connections, even after they close. New connections are not affected. */
  stall(): void {
    for (const pair of this.#pairs) pair.stalled ??= []
  }

  /** Sends to the server what `stall` held back. */
  unstall(): void {
    for (const { stalled, server } of this.#pairs)
      for (const data of stalled ?? []) server.write(data)
  }

  /** From now on, holds back every reply. */
  hold(): void {
    this.#held ??= []
  }

  /** Passes on the replies that were held back, and all later replies. */
  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const pass of held) pass()
  }

  /** From now on, delays every reply. */
  delay(ms: number): void {
    this.#delayMs = ms
  }

  /**
   * Ends the connection on which a client next sends a text: before the server has received the text, or once the
   * server has replied with the same text. The client receives none of the server's replies after the text.
   *
   * @param text Upper and lower case are the same.
   * @returns a promise that resolves when the connection is cut.
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

  #translated(data: Buffer): Buffer {
    const translate = (text: string, [said, heard]: readonly [string, string]) =>
      text.replaceAll(said, heard)
    if (this.#words.length === 0) return data
    return Buffer.from(this.#words.reduce(translate, data.toString('latin1')), 'latin1')
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
    const pass = () => pair.client.write(this.#translated(data))
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

/** A condition that cuts a connection. */
interface Trap {
  readonly moment: Moment
  readonly text: string
  happened(): void
}

/** The connection of a client and its connection to the server, with the data that is held back. */
interface Pair {
  readonly client: Socket
  readonly server: Socket
  stalled: Buffer[] | undefined
  /** The trap that this connection has reached. */
  trap: Trap | undefined
}
