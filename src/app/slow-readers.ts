import { AsyncResource } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock, Timer } from '../contracts/clock.js'
import type { Response } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import { respondsOn } from '../http/close-with-connection.js'
import type { BlazonRequest } from '../http/request.js'
import { requestIdOf } from '../http/request-id.js'
import { routeOf } from '../http/request-notes.js'
import { ignoreRejection } from '../step/step.js'
import type { Connections } from './connections.js'
import type { Listener } from './listener.js'

/** How often each connection is checked within the time limit. */
const LOOKS = 4

/** The input of {@link SlowReaders}. */
export interface SlowReadersConfig {
  readonly connections: Pick<Connections, 'list'>
  readonly clock: Clock
  readonly logger: Logger
  /** How long a client can stall without reading any bytes. */
  readonly ms: number
}

/** The number of bytes that a client has read, and the time of the last change. */
interface Progress {
  readonly taken: number
  readonly since: number
}

/**
 * Closes connections whose clients read no bytes of a pending response. One timer checks all connections while
 * responses are pending. A request costs one comparison, and a response that is sent immediately costs nothing else.
 */
export class SlowReaders {
  readonly #config: SlowReadersConfig
  readonly #progress = new WeakMap<Socket, Progress>()
  readonly #scope = new AsyncResource('BlazonSlowReaders')
  #timer: Timer | null = null
  #isClosed = false

  constructor(config: SlowReadersConfig) {
    this.#config = config
  }

  /** Returns a function that calls `watch` for each request. */
  watchFrom(handle: Listener['handle']): Listener['handle'] {
    return (req, res) => {
      this.watch()
      handle(req, res)
    }
  }

  /** Starts the timer, unless it is already running. */
  watch(): void {
    if (this.#timer === null && !this.#isClosed) this.#start()
  }

  /** Stops the timer. */
  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
  }

  #start(): void {
    const { clock, ms } = this.#config
    // A request starts the timer, but the request's async context must not apply to later checks.
    this.#timer = this.#scope.runInAsyncScope(() =>
      clock.setTimeout(() => this.#look(), ms / LOOKS),
    )
  }

  #look(): void {
    this.#timer = null
    const { connections, clock, ms } = this.#config
    const now = clock.monotonic()
    for (const socket of connections.list()) {
      const [res] = respondsOn(socket)
      if (res === undefined) continue
      if (this.#stalledMs(socket, now) >= ms) this.#cut(socket, res)
      // A stream can stall later, without any other request.
      else this.watch()
    }
  }

  /** How long a client is known to have read nothing; 0 if no data is pending. */
  #stalledMs(socket: Socket, now: number): number {
    const taken = takenFrom(socket)
    const known = this.#progress.get(socket)
    if (socket.writableLength > 0 && known?.taken === taken) return now - known.since
    if (socket.writableLength > 0) this.#progress.set(socket, { taken, since: now })
    else this.#progress.delete(socket)
    return 0
  }

  #cut(socket: Socket, res: ServerResponse): void {
    const { logger, ms } = this.#config
    socket.destroy()
    try {
      const facts = { ...factsOf((res as Response).req as BlazonRequest), seconds: ms / 1000 }
      const returned: unknown = logger.warn(
        facts,
        'A response was aborted because its client did not read it',
      )
      // A logger that writes asynchronously can return a promise that rejects.
      ignoreRejection(returned)
    } catch {
      // The other connections must be checked even if the logger fails.
    }
  }
}

/** An undocumented part of Node's network connections. Node's own `socket.setTimeout` also reads it. */
interface Handled {
  readonly _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null
}

/**
 * The number of bytes that the operating system has accepted for a client. `writableLength` is not sufficient: it
 * decreases only after a whole chunk has been accepted, and a chunk can be several megabytes.
 */
function takenFrom(socket: Socket): number {
  const { bytesWritten, writeQueueSize } = (socket as Handled)._handle ?? {}
  return bytesWritten === undefined || writeQueueSize === undefined
    ? (socket.bytesWritten ?? 0) - socket.writableLength
    : bytesWritten - writeQueueSize
}

/** The method, the route's path pattern and the ID, but not the path, which can contain a secret. */
function factsOf(req: BlazonRequest): object {
  const route = routeOf(req)?.path
  const requestId = requestIdOf(req)
  return {
    method: req.method,
    ...(route !== undefined && { route }),
    ...(requestId !== undefined && { requestId }),
  }
}
