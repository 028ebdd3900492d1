import type { Token } from '../contracts/provider.js'
import { Health } from '../features/health/health.js'
import type { ShareMetrics } from '../features/metrics/join-texts.js'

/** Facts about an application that a worker needs. */
export interface WorkerApp {
  readonly isReady: () => Promise<boolean>
  /**
   * Returns how long the application may take to close, before `blazon start` ends the worker. Called after the start.
   */
  readonly closeMs: () => number
}

/**
 * The connection between `blazon start` and the applications of a worker. Without it, an application runs as the only
 * process.
 */
export interface WorkerLink {
  readonly workers: number
  /** Whether this worker logs the lines that are the same for all workers. */
  readonly isSpeaker: boolean
  /** Whether another worker has replaced this one. */
  readonly isRetired: boolean
  /**
   * Runs the start of an application. The worker counts as listening when no start is in progress: a program can start
   * several applications, sequentially or concurrently.
   */
  starts<T>(start: () => Promise<T>, app: WorkerApp): Promise<T>
  readonly shareMetrics: ShareMetrics
}

/**
 * The key on `globalThis` of the {@link WorkerLink} of a process. Only `blazon start` sets it, in its workers, before
 * the application is loaded. A registered symbol is the same in every copy of this package in the process.
 */
const LINK = Symbol.for('blazon.worker')

/** Returns the link to the other workers; `undefined` in a process that is not a worker of `blazon start`. */
export function findWorkerLink(): WorkerLink | undefined {
  return (globalThis as { [LINK]?: WorkerLink })[LINK]
}

/**
 * Whether another worker has replaced this one. If so, this worker still reports that it is ready while it closes,
 * because the other workers continue to accept connections on the same port.
 */
export function isRetired(): boolean {
  return findWorkerLink()?.isRetired === true
}

/**
 * Starts an application and listens: immediately, or in a worker of `blazon start` when it is its turn. A worker that
 * replaces another worker is ready only when the health checks of its applications also succeed.
 */
export async function listenInTurn<T>(
  app: { get<T>(token: Token<T>): T },
  closeMs: () => number,
  start: () => Promise<T>,
): Promise<T> {
  const link = findWorkerLink()
  if (link === undefined) return await start()
  const isReady = async () => ['up', 'degraded'].includes((await app.get(Health).check()).status)
  return await link.starts(start, { closeMs, isReady })
}
