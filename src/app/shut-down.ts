import type { Server, ServerResponse } from 'node:http'
import type { Clock } from '../contracts/clock.js'
import type { Response } from '../contracts/handler.js'
import type { Logger } from '../contracts/logger.js'
import type { BlazonRequest } from '../http/request.js'
import { closingTimer, elapsed, type NoteCut } from './closing.js'
import type { Connections } from './connections.js'
import type { HostedRequests } from './hosted-requests.js'

/** The interval at which closing checks for new streams and idle connections. */
const SWEEP_INTERVAL_MS = 100
/**
 * The number of sweeps for which a connection without a request stays open when a signal closes the application. A
 * proxy may have already sent a request on the connection. That request would be lost, because the proxy cannot
 * determine whether it was processed.
 */
const IDLE_SWEEPS = 3
/** The time from the abort of `req.signal` to the end of the grace period; at most half of the grace period. */
const WARNING_MS = 2000
/** How long a client has to receive the last bytes of an upgraded connection. */
const LINGER_MS = 1000

/** The input of {@link shutDown}. */
export interface ShutDown {
  readonly server: Server
  readonly connections: Connections
  readonly hostedRequests: HostedRequests
  readonly clock: Clock
  readonly logger: Logger
  /** Whether a signal closes the application while other processes still send requests to it. */
  readonly isBySignal: boolean
  /** How long the application still accepts requests after a signal. */
  readonly preStopMs: number
  /** The time for running requests after listening has stopped. Remaining connections are then destroyed. */
  readonly graceMs: number
  /**
   * Closes the rest of the application when no requests are running. Upgraded connections are still open at that time.
   */
  readonly closeRest: () => Promise<void>
}

/**
 * Closes an application in steps. After a signal, it continues to accept requests for `preStopMs`. Then it stops
 * listening, waits for running requests, closes the rest of the application, and ends the remaining connections.
 *
 * @returns the number of requests that were aborted.
 */
export async function shutDown(config: ShutDown): Promise<number> {
  if (config.isBySignal && config.server.listening) await serveOn(config)
  const cut = new CutRequests(config.logger)
  await stop(config, cut)
  return cut.count
}

/**
 * Continues to accept requests, because a load balancer sends requests until it has detected the shutdown. Every
 * response ends its connection, so that few connections remain on which a request can arrive.
 */
async function serveOn(config: ShutDown): Promise<void> {
  const { connections, hostedRequests, clock, preStopMs } = config
  const announce = () => [connections, hostedRequests].forEach((each) => void each.announce())
  announce()
  const announcing = setInterval(announce, SWEEP_INTERVAL_MS)
  if (preStopMs > 0) await elapsed(clock, preStopMs)
  clearInterval(announcing)
  // When listening stops, the system resets connections that it has accepted but Node has not. Node accepts them in
  // this turn of the event loop.
  await new Promise(setImmediate)
}

async function stop(config: ShutDown, cut: CutRequests): Promise<void> {
  const { server, connections, hostedRequests, closeRest, isBySignal } = config
  const all = [connections, hostedRequests]
  const timers = startTimers(config, cut)
  const stopped = stopListening(server)
  const sweep = () => all.forEach((each) => void each.sweep(isBySignal ? IDLE_SWEEPS : 0))
  sweep()
  const sweeping = setInterval(sweep, SWEEP_INTERVAL_MS)
  try {
    await Promise.all(all.map((each) => each.quiet()))
    clearInterval(sweeping)
    // The remaining connections keep the process alive, so the timers do not need to.
    for (const timer of timers) timer.unref()
    await closeRest()
  } finally {
    const lingering = setTimeout(() => cut.from([connections]), LINGER_MS)
    await connections.end()
    clearTimeout(lingering)
    for (const timer of timers) timer.cancel()
    await stopped
  }
}

function startTimers({ connections, hostedRequests, clock, graceMs }: ShutDown, cut: CutRequests) {
  const all = [connections, hostedRequests]
  const warnAfter = graceMs - Math.min(WARNING_MS, graceMs / 2)
  return [
    closingTimer(clock, warnAfter, () => all.forEach((each) => void each.abort())),
    closingTimer(clock, graceMs, () => cut.from(all)),
  ]
}

async function stopListening(server: Server): Promise<void> {
  if (!server.listening) return
  // `server.close` would call this method and destroy responses that have ended but have not been sent completely.
  server.closeIdleConnections = () => {}
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
}

/** The maximum number of names in one log line. */
const MOST_NAMES = 50

/** Something that has open requests: the connections of a server, or the requests of a host. */
interface Cuttable {
  cut(note: NoteCut): void
}

/** Aborts requests, and logs their methods and routes. */
class CutRequests {
  readonly #logger: Logger
  #count = 0

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** The number of aborted requests. */
  get count(): number {
    return this.#count
  }

  /** Aborts all remaining requests. Logs them immediately, because an `onClose` can close the logger. */
  from(all: readonly Cuttable[]): void {
    const counts = new Map<string, number>()
    const note = (res: ServerResponse) => {
      const name = nameOf((res as Response).req as BlazonRequest)
      counts.set(name, (counts.get(name) ?? 0) + 1)
      this.#count++
    }
    for (const each of all) each.cut(note)
    if (counts.size > 0) this.#log(counts)
  }

  #log(counts: ReadonlyMap<string, number>): void {
    const count = [...counts.values()].reduce((sum, each) => sum + each, 0)
    const cut = Object.fromEntries([...counts].slice(0, MOST_NAMES))
    const message = 'Requests were aborted because they did not end before the application closed'
    this.#logger.error({ count, cut }, message)
  }
}

/** The method and the route's path pattern. With the actual path, each request would have a different name. */
function nameOf({ method, route }: Partial<BlazonRequest>): string {
  const isOurs = route !== undefined && Object.hasOwn(route, 'controller')
  return `${method} ${isOurs ? route.path : '(no route)'}`
}
