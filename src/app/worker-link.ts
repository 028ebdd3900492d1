import type { Server } from 'node:http'
import type { Token } from '../contracts/provider.js'
import type { WorkerLink } from '../contracts/worker.js'
import { Health } from '../features/health/health.js'

/**
 * The key on `globalThis` of the {@link WorkerLink} of a process. Only `blazon start` sets it, in its workers, before the
 * application is loaded. A registered symbol is the same in every copy of this package in the process.
 */
const LINK = Symbol.for('blazon.worker')

/** Returns the link to the other workers; `undefined` in a process that is no worker of `blazon start`. */
export function findWorkerLink(): WorkerLink | undefined {
  return (globalThis as { [LINK]?: WorkerLink })[LINK]
}

/** The signal that `onClose` gets when another worker has taken the place of this one. */
export const RETIRED = 'SIGHUP'

/** The part of an application that says whether it can serve. */
interface Ready {
  readonly server: Server
  get<T>(token: Token<T>): T
}

/**
 * Starts an application and listens. A worker that replaces another one is ready when the checks of health of its applications
 * are good, too.
 */
export async function listenAsWorker<T>(app: Ready, start: () => Promise<T>): Promise<T> {
  const link = findWorkerLink()
  if (link === undefined) return await start()
  return await link.starts(async () => {
    const address = await start()
    link.listens(app.server, async () => {
      const { status } = await app.get(Health).check()
      return status === 'up' || status === 'degraded'
    })
    return address
  })
}

/** How an application closes: a worker that is replaced needs no `preStop`, because its port stays open. */
export function timesOf(
  signal: string | undefined,
  preStopMs: number,
): { readonly isBySignal: boolean; readonly isRetired: boolean; readonly preStopMs: number } {
  const isRetired = signal === RETIRED && findWorkerLink() !== undefined
  return { isBySignal: signal !== undefined, isRetired, preStopMs: isRetired ? 0 : preStopMs }
}
