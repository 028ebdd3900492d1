import type { Server } from 'node:http'
import type { Connections } from './connections.js'
import type { UnderWay } from './under-way.js'

/** How often is looked for streams that have begun, and connections that have become idle, since closing began. */
const SWEEP_INTERVAL_MS = 100
/** Node takes a longer time for none at all. */
const LONGEST_MS = 2 ** 31 - 1

/** What an application closes. */
export interface ShutDown {
  readonly server: Server
  readonly connections: Connections
  readonly underWay: UnderWay
  /** How long all of them have together, from the beginning; what is left then is cut. */
  readonly graceMs: number
  /** Called when no request is under way any more, and upgraded connections are still open. */
  readonly closeRest: () => Promise<void>
}

/** Stops listening, waits for requests, closes the rest of the application, and then what is left of its connections. */
export async function shutDown(config: ShutDown): Promise<void> {
  const { server, connections, underWay, graceMs, closeRest } = config
  const all = [connections, underWay]
  const sweep = () => all.forEach((each) => void each.sweep())
  const cut = () => all.forEach((each) => void each.cut())
  // Not the application's clock: a stopped one must not keep a process from ending.
  const force = setTimeout(cut, Math.min(graceMs, LONGEST_MS))
  const stopped = stopListening(server)
  sweep()
  const sweeping = setInterval(sweep, SWEEP_INTERVAL_MS)
  try {
    await Promise.all(all.map((each) => each.quiet()))
    clearInterval(sweeping)
    // What is left to cut keeps the process alive by itself.
    force.unref()
    await closeRest()
  } finally {
    await connections.end()
    clearTimeout(force)
    await stopped
  }
}

function stopListening(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve()
  // Node would cut answers here that have been ended and not been sent yet.
  server.closeIdleConnections = () => {}
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}
