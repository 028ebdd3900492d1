import type { Server } from 'node:http'
import type { Connections } from './connections.js'
import type { HostedRequests } from './hosted-requests.js'

/** How often closing looks again for streams that have begun and connections that have become idle. */
const SWEEP_INTERVAL_MS = 100
/** The longest time that `setTimeout` accepts. It would treat a longer one as 1 ms. */
const LONGEST_MS = 2 ** 31 - 1

/** The input of {@link shutDown}. */
export interface ShutDown {
  readonly server: Server
  readonly connections: Connections
  readonly hostedRequests: HostedRequests
  /** The time for all steps together, from the beginning. Connections that remain after it are cut. */
  readonly graceMs: number
  /** Called when no request is under way any more. Upgraded connections are still open then. */
  readonly closeRest: () => Promise<void>
}

/**
 * Stops listening, waits for requests, closes the rest of the application, and then ends the remaining
 * connections.
 */
export async function shutDown(config: ShutDown): Promise<void> {
  const { server, connections, hostedRequests, graceMs, closeRest } = config
  const all = [connections, hostedRequests]
  const sweep = () => all.forEach((each) => void each.sweep())
  const cut = () => all.forEach((each) => void each.cut())
  // Use real time: if a test has stopped the application's clock, the process must still be able to end.
  const force = setTimeout(cut, Math.min(graceMs, LONGEST_MS))
  const stopped = stopListening(server)
  sweep()
  const sweeping = setInterval(sweep, SWEEP_INTERVAL_MS)
  try {
    await Promise.all(all.map((each) => each.quiet()))
    clearInterval(sweeping)
    // The remaining connections keep the process alive, so the timer need not.
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
  // `server.close` would call this and cut responses that have ended but are not sent completely.
  server.closeIdleConnections = () => {}
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}
