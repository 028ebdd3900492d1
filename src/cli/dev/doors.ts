import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { AppProcess } from './app-process.js'
import { Deadline, turn } from './deadline.js'
import type { Address, Place } from './protocol.js'

/** A port that the command holds. */
interface Door {
  readonly place: Place
  readonly server: Server
  /** Whether an application has ever listened here. */
  isWanted: boolean
  /** The server of each process that listens here, by the number of its `listen`. */
  readonly listeners: Map<AppProcess, number>
  /** Connections that wait for a process, with the ends of their waits. */
  readonly waiting: Map<Socket, Deadline>
}

/** The input of {@link Doors}. */
export interface DoorsConfig {
  /** How long a connection waits for a process that starts, in milliseconds. */
  readonly waitMs: number
  /** Responds in place of the application. */
  readonly respond: (socket: Socket) => void
}

/**
 * The key of a port. Port 0 is any port: the same one after each restart, for the same `listen` of the application.
 *
 * @param id The number of the `listen`.
 */
export function keyOf({ host, port }: Place, id: number): string {
  return `${host ?? ''}|${port === 0 ? `any ${id}` : port}`
}

/**
 * The ports of the application. The command accepts all connections and passes them to the process that serves. While a new
 * process starts, connections wait.
 */
export class Doors {
  readonly #config: DoorsConfig
  readonly #doors = new Map<string, Door>()
  readonly #doorOf = new WeakMap<Socket, Door>()
  #app: AppProcess | undefined
  #isHolding = true

  constructor(config: DoorsConfig) {
    this.#config = config
  }

  /**
   * Listens, unless it does so already.
   *
   * @param key Distinguishes ports: that of an earlier process is used again.
   * @throws Error of Node if another program has the port.
   */
  async open(key: string, place: Place): Promise<Address> {
    const held = this.#doors.get(key)
    if (held !== undefined) return held.server.address() as Address
    // Connections that the system has accepted would be lost with the server of another address.
    await turn()
    const waiting = this.#vacate(place)
    const server = createServer({ pauseOnConnect: true, noDelay: true })
    const door: Door = { place, server, isWanted: false, listeners: new Map(), waiting: new Map() }
    server.on('connection', (socket) => {
      // The client may leave while it waits.
      socket.on('error', () => {})
      this.#doorOf.set(socket, door)
      this.#route(door, socket)
    })
    server.listen({ port: place.port, host: place.host })
    await once(server, 'listening')
    this.#doors.set(key, door)
    for (const socket of waiting) this.#wait(door, socket)
    return server.address() as Address
  }

  /**
   * A port at which no process listens may be wanted at another address, which the system would refuse. Closes it, and returns
   * the connections that wait there.
   */
  #vacate({ port }: Place): Socket[] {
    const idle = [...this.#doors].filter(
      ([, door]) => door.place.port === port && port !== 0 && door.listeners.size === 0,
    )
    return idle.flatMap(([key, door]) => {
      const waiting = [...door.waiting.keys()]
      for (const socket of waiting) stopWaiting(door, socket)
      this.#close(key, door)
      return waiting
    })
  }

  /** Where a client of this machine reaches the first server of the application; `undefined` while there is none. */
  get firstAddress(): { readonly host: string; readonly port: number } | undefined {
    const [door] = [...this.#doors.values()].filter(({ isWanted }) => isWanted)
    if (door === undefined) return undefined
    const { address, port } = door.server.address() as Address
    // All addresses of the machine include this one.
    const host = address === '::' || address === '0.0.0.0' ? '127.0.0.1' : address
    return { host, port }
  }

  /** A server of a process is ready for the connections of a door. */
  attach(key: string, app: AppProcess, id: number): void {
    const door = this.#doors.get(key)
    if (door === undefined) return
    door.isWanted = true
    door.listeners.set(app, id)
    if (!this.#isHolding) this.#flush(door)
  }

  /** New connections wait from now on. */
  hold(): void {
    this.#isHolding = true
  }

  /** All connections go to this process; without one, the command responds. */
  serve(app: AppProcess | undefined): void {
    this.#app = app
    this.#isHolding = false
    for (const door of this.#doors.values()) this.#flush(door)
  }

  /** Forgets a process that has ended. Connections that did not reach it get another one. */
  detach(app: AppProcess): void {
    for (const door of this.#doors.values()) door.listeners.delete(app)
    if (this.#app === app) this.#app = undefined
    for (const socket of app.takeBack()) {
      const door = this.#doorOf.get(socket)
      if (door !== undefined) this.#wait(door, socket)
    }
  }

  /** Closes the ports that none of these processes has used. */
  closeUnused(apps: readonly (AppProcess | undefined)[]): void {
    for (const [key, door] of [...this.#doors]) {
      if (!apps.some((app) => app !== undefined && door.listeners.has(app))) this.#close(key, door)
    }
  }

  closeAll(): void {
    for (const [key, door] of [...this.#doors]) this.#close(key, door)
  }

  #close(key: string, door: Door): void {
    this.#doors.delete(key)
    door.server.close()
    for (const socket of [...door.waiting.keys()]) {
      stopWaiting(door, socket)
      this.#config.respond(socket)
    }
  }

  #route(door: Door, socket: Socket): void {
    // Until an application wants this address, only programs of this machine may see why none does.
    if (!door.isWanted && !isLoopback(socket)) return void socket.destroy()
    if (this.#isHolding || (this.#app !== undefined && !door.listeners.has(this.#app))) {
      this.#wait(door, socket)
    } else this.#passOn(door, socket)
  }

  #passOn(door: Door, socket: Socket): void {
    const id = this.#app && door.listeners.get(this.#app)
    if (this.#app === undefined || id === undefined) this.#config.respond(socket)
    else this.#app.pass(socket, id)
  }

  #wait(door: Door, socket: Socket): void {
    const deadline = new Deadline(this.#config.waitMs, () => {
      door.waiting.delete(socket)
      // The last process that started is better than an error.
      this.#passOn(door, socket)
    })
    door.waiting.set(socket, deadline)
    socket.once('close', () => stopWaiting(door, socket))
  }

  #flush(door: Door): void {
    for (const socket of [...door.waiting.keys()]) {
      stopWaiting(door, socket)
      this.#route(door, socket)
    }
  }
}

function isLoopback({ remoteAddress = '' }: Socket): boolean {
  return /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress)
}

function stopWaiting(door: Door, socket: Socket): void {
  door.waiting.get(socket)?.cancel()
  door.waiting.delete(socket)
}
