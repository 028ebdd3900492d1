import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** Stands before a server and holds its answers back: as slow a network as a test wants, whatever the machine. */
export class Gate implements AsyncDisposable {
  readonly url: string
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #pairs = new Set<Pair>()
  #held: (() => void)[] | undefined
  #isCut = false

  private constructor(server: Server, port: number) {
    this.#server = server
    this.url = `redis://127.0.0.1:${port}`
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
    for (const { stalled, redis } of this.#pairs)
      for (const data of stalled ?? []) redis.write(data)
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

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(client: Socket, redis: Socket): void {
    if (this.#isCut) {
      client.destroy()
      redis.destroy()
      return
    }
    const pair: Pair = { redis, stalled: undefined }
    this.#pairs.add(pair)
    for (const socket of [client, redis]) {
      this.#sockets.add(socket)
      socket.on('error', () => {})
    }
    client.on('close', () => pair.stalled === undefined && redis.destroy())
    redis.on('close', () => client.destroy())
    client.on('data', (data) => {
      if (pair.stalled === undefined) redis.write(data)
      else pair.stalled.push(data)
    })
    redis.on('data', (data) => {
      const pass = () => client.write(data)
      if (this.#held === undefined) pass()
      else this.#held.push(pass)
    })
  }
}

/** A connection, and what of it is stalled. */
interface Pair {
  readonly redis: Socket
  stalled: Buffer[] | undefined
}
