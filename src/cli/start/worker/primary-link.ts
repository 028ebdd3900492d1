import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type {
  MetricsSnapshot,
  PeerMetrics,
  WorkerLink,
  WorkerSnapshot,
} from '../../../contracts/worker.js'
import { atMost, Deadline, turn } from '../../dev/deadline.js'
import {
  opened,
  type PrimaryMessage,
  stopReading,
  type WorkerMessage,
  type WorkerPlace,
} from '../protocol.js'

/** How often a worker asks its application again whether it is ready. */
const READY_MS = 200
/** The primary waits a second for other workers. If it does not answer itself, the worker goes on alone. */
const GATHER_MS = 2000
/** The primary answers at once, unless it has ended. */
const LEFT_MS = 2000

type Read = () => MetricsSnapshot | Promise<MetricsSnapshot>

/** The link of a worker to the primary. */
export class PrimaryLink implements WorkerLink {
  readonly workers: number
  readonly isSpeaker: boolean
  readonly #retire = new Set<() => void>()
  readonly #reads: Read[] = []
  /** The servers that have listened, with their places: see `placeOf`. */
  readonly #places = new Map<Server, string>()
  readonly #checks: (() => Promise<boolean>)[] = []
  /** How many applications start now. */
  #starting = 0
  /** What to call with the reply to a question, by its number. */
  readonly #waiting = new Map<number, (message: PrimaryMessage) => void>()
  #asked = 0

  constructor({ workers, isSpeaker }: WorkerPlace) {
    this.workers = workers
    this.isSpeaker = isSpeaker
    process.on('message', (message, socket) => {
      const own = opened<PrimaryMessage>(message)
      if (own?.kind === 'connection') this.#accept(own.server, socket as Socket | undefined)
      else if (own !== undefined) this.#receive(own)
    })
  }

  async starts<T>(start: () => Promise<T>): Promise<T> {
    this.#starting += 1
    void send({ kind: 'starts' })
    try {
      return await start()
    } finally {
      // The code that waits for this start may begin the next one.
      void turn().then(() => this.#hasStarted())
    }
  }

  listens(server: Server, isReady: () => Promise<boolean>): void {
    this.#places.set(server, placeOf(server))
    this.#checks.push(isReady)
  }

  pass(server: Server, socket: Socket): void {
    const place = this.#places.get(server)
    const isConnected = process.connected === true && process.send !== undefined
    if (!isConnected || place === undefined) return void socket.destroy()
    const message: WorkerMessage = { kind: 'pass', server: place }
    stopReading(socket)
    // Else Node would count the connections of this server in the primary, too.
    Object.assign(socket, { server: null })
    // Node takes the connection out of the socket when it sends it. What is left has to be destroyed, so that the server can
    // close.
    process.send?.({ blazon: message }, socket, {}, () => void socket.destroy())
  }

  onRetire(retire: () => void): void {
    this.#retire.add(retire)
  }

  async left(): Promise<void> {
    await atMost(
      LEFT_MS,
      this.#ask((id) => ({ kind: 'left', id })),
    )
  }

  shareMetrics(read: Read): PeerMetrics {
    const app = this.#reads.push(read) - 1
    void send({ kind: 'shares', app })
    return {
      gather: async (snapshot) => {
        let snapshots: readonly WorkerSnapshot[] = [{ worker: null, snapshot }]
        const asked = this.#ask((id) => ({ kind: 'gather', id, app, snapshot }))
        const taken = asked.then((reply) => {
          if (reply.kind === 'gathered') snapshots = reply.snapshots
        })
        await atMost(GATHER_MS, taken)
        return snapshots
      },
      leave: (snapshot) => send({ kind: 'last', app, snapshot }),
    }
  }

  #hasStarted(): void {
    this.#starting -= 1
    if (this.#starting > 0 || this.#checks.length === 0) return
    // An error that nothing has caught closes the applications that listen already.
    if (Number(process.exitCode ?? 0) !== 0) return
    void send({ kind: 'listens' })
    void this.#reportReady()
  }

  /** An error of a check means that the application is not ready yet. */
  async #reportReady(): Promise<void> {
    const all = this.#checks.map((isReady) => isReady().catch(() => false))
    const areReady = (await Promise.all(all)).every((isReady) => isReady)
    // The end of the start that has begun meanwhile reports.
    if (this.#starting > 0) return
    if (areReady) return void send({ kind: 'ready' })
    new Deadline(READY_MS, () => void this.#reportReady())
  }

  #accept(place: string, socket: Socket | undefined): void {
    if (socket === undefined) return
    for (const [server, other] of this.#places) {
      if (other === place && server.listening) return void server.emit('connection', socket)
    }
    socket.destroy()
  }

  #ask(question: (id: number) => WorkerMessage): Promise<PrimaryMessage> {
    const id = this.#asked++
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      void send(question(id))
    })
  }

  #receive(message: Exclude<PrimaryMessage, { kind: 'connection' }>): void {
    if (message.kind === 'retire') this.#end('SIGHUP')
    else if (message.kind === 'end') this.#end(message.signal)
    else if (message.kind === 'read') void this.#answer(message)
    else {
      this.#waiting.get(message.id)?.(message)
      this.#waiting.delete(message.id)
    }
  }

  /** Without a listener, the signal has its usual effect. */
  #end(signal: NodeJS.Signals): void {
    if (signal === 'SIGHUP' && this.#retire.size > 0) {
      for (const retire of this.#retire) retire()
    } else {
      const name = signal === 'SIGHUP' ? 'SIGTERM' : signal
      if (!process.emit(name, name)) process.kill(process.pid, name)
    }
  }

  async #answer({ id, app }: { readonly id: number; readonly app: number }): Promise<void> {
    const snapshot = await Promise.resolve(this.#reads[app]?.()).catch(() => undefined)
    void send({ kind: 'snapshot', id, app, snapshot: snapshot ?? null })
  }
}

/**
 * Where a server listens. A number would not do: another version of the program may listen in another order, and a client of
 * a public server must not reach an internal one.
 */
function placeOf(server: Server): string {
  const address = server.address()
  if (typeof address === 'string' || address === null) return `path ${address}`
  return `${address.address} ${address.port}`
}

/** Resolves when the message has left this process. */
function send(message: WorkerMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected !== true || process.send === undefined) return resolve()
    process.send({ blazon: message }, undefined, {}, () => resolve())
  })
}
