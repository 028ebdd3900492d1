import cluster, { type Address, type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { constants } from 'node:os'
import {
  opened,
  PLACE_VARIABLE,
  type PrimaryMessage,
  stopReading,
  type WorkerMessage,
} from './protocol.js'

/** How a worker has ended. */
export interface Ending {
  /** Its exit code; that of a shell if a signal has ended it. */
  readonly status: number
  /** `with status 1`, `by SIGKILL`, `before it began: spawn node ENOMEM`. */
  readonly how: string
}

/** A process that runs the application. */
export interface CrewMember {
  readonly pid: number | undefined
  /** Whether its process has ended. */
  readonly hasEnded: boolean
  /**
   * Resolves with `true` when the applications listen that the program starts, or with `false` if it ends before. Without an
   * application of this package: when its first server listens.
   */
  readonly listens: Promise<boolean>
  /** Resolves with `true` when it listens and its applications are ready, or with `false` if it ends before. */
  readonly ready: Promise<boolean>
  readonly ended: Promise<Ending>
  /** Asks it to respond to what it has received, and to end, because another one has taken its place. */
  retire(): void
  /** Asks it to end. */
  end(signal: NodeJS.Signals): void
  kill(): void
}

/** What is asked of the process that a {@link WorkerProcess} starts. */
export interface WorkerStart {
  /** The value of the label `worker` in metrics: the number of its place, from 1 on. */
  readonly label: string
  readonly workers: number
  readonly isSpeaker: boolean
  /** Called with each message, in order, also with those that arrive after the end of the process. */
  readonly receive: (worker: WorkerProcess, message: WorkerMessage) => void
  /** Called with a connection that the worker does not serve any more, and the place of its server. */
  readonly pass: (worker: WorkerProcess, server: string, socket: Socket) => void
}

/** A worker of `node:cluster`. */
export class WorkerProcess implements CrewMember {
  readonly label: string
  readonly listens: Promise<boolean>
  readonly ready: Promise<boolean>
  readonly ended: Promise<Ending>
  /** Where its servers listen. */
  readonly addresses: Address[] = []
  hasEnded = false
  /** `null` if the system has refused another process. */
  readonly #worker: Worker | null
  #hasApps = false
  #settleListens: (listens: boolean) => void = () => {}
  #settleReady: (isReady: boolean) => void = () => {}

  constructor({ label, receive, pass, ...place }: WorkerStart) {
    this.label = label
    const forked = forkedBy({ [PLACE_VARIABLE]: JSON.stringify(place) })
    this.#worker = forked instanceof Error ? null : forked
    this.listens = new Promise((resolve) => {
      this.#settleListens = resolve
    })
    this.ready = new Promise((resolve) => {
      this.#settleReady = resolve
    })
    this.#worker?.on('listening', (address) => this.#listening(address))
    this.#worker?.on('message', (message: unknown, socket: unknown) => {
      const own = opened<WorkerMessage>(message)
      if (own?.kind === 'pass') {
        if (socket === undefined) return
        stopReading(socket as Socket)
        pass(this, own.server, socket as Socket)
      } else if (own?.kind === 'starts') this.#hasApps = true
      else if (own?.kind === 'listens') this.#settleListens(true)
      else if (own?.kind === 'ready') this.#settleReady(true)
      else if (own !== undefined) receive(this, own)
    })
    this.ended = this.#untilEnd(forked)
  }

  /** Later workers have larger ones. */
  get id(): number {
    return this.#worker?.id ?? 0
  }

  get pid(): number | undefined {
    return this.#worker?.process.pid
  }

  retire(): void {
    this.send({ kind: 'retire' })
  }

  end(signal: NodeJS.Signals): void {
    this.send({ kind: 'end', signal })
  }

  kill(): void {
    this.#worker?.process.kill('SIGKILL')
  }

  send(message: PrimaryMessage): void {
    if (this.#worker?.isConnected()) this.#worker.send({ blazon: message }, undefined, () => {})
  }

  /** Gives a connection to the server that listens at this place. */
  connect(server: string, socket: Socket): void {
    if (!this.#worker?.isConnected()) return void socket.destroy()
    const message: PrimaryMessage = { kind: 'connection', server }
    this.#worker.send({ blazon: message }, socket, {}, () => {})
  }

  #listening(address: Address): void {
    this.addresses.push(address)
    // A program without an application of this package says nothing more.
    if (this.#hasApps) return
    this.#settleListens(true)
    this.#settleReady(true)
  }

  async #untilEnd(forked: Worker | Error): Promise<Ending> {
    const ending = forked instanceof Error ? notBegun(forked) : await this.#endOf(forked)
    this.hasEnded = true
    // What it has sent before may still be in the channel.
    if (this.pid !== undefined && this.#worker?.isConnected())
      await once(this.#worker, 'disconnect')
    this.#settleListens(false)
    this.#settleReady(false)
    return ending
  }

  #endOf(worker: Worker): Promise<Ending> {
    return new Promise((resolve) => {
      // Node reports connections that it could not send to a process that has just ended, too, and its end follows.
      worker.on('error', (error) => {
        if (this.pid === undefined) resolve(notBegun(error))
      })
      worker.once('exit', (status, signal) => resolve(endingOf(status, signal)))
    })
  }
}

/** Node throws some errors of the system, such as ENOMEM, and emits others, such as EAGAIN. */
function forkedBy(env: Readonly<Record<string, string>>): Worker | Error {
  try {
    return cluster.fork(env)
  } catch (error) {
    return error as Error
  }
}

function notBegun({ message }: Error): Ending {
  return { status: 1, how: `before it began: ${message}` }
}

function endingOf(status: number | null, signal: string | null): Ending {
  if (signal === null) return { status: status ?? 1, how: `with status ${status}` }
  const number = (constants.signals as Readonly<Record<string, number>>)[signal] ?? 0
  return { status: 128 + number, how: `by ${signal}` }
}
