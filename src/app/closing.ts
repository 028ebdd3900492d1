import type { ServerResponse } from 'node:http'
import type { Clock, Timer } from '../contracts/clock.js'
import type { Response } from '../contracts/handler.js'
import { AppClosingError } from '../errors/failure.js'
import type { BlazonRequest } from '../http/request.js'
import { inScopeOf, type RequestScopes } from '../http/request-scopes.js'
import { kAbortController } from '../http/symbol-fields.js'

/** The longest time that `setTimeout` accepts. Node treats a longer time as 1 ms. */
const LONGEST_MS = 2 ** 31 - 1

/** A timer that keeps the process alive until `unref` is called. */
export interface ClosingTimer extends Timer {
  unref(): void
}

/**
 * Calls `run` once, after `ms` milliseconds of the application's clock or of real time, whichever comes first. A test
 * can advance the clock, but the process must be able to end even if a test has stopped the clock.
 */
export function closingTimer(clock: Clock, ms: number, run: () => void): ClosingTimer {
  const real = setTimeout(ring, Math.min(ms, LONGEST_MS))
  const timer = clock.setTimeout(ring, ms)
  function cancel() {
    clearTimeout(real)
    timer.cancel()
  }
  function ring() {
    cancel()
    run()
  }
  return { cancel, unref: () => void real.unref() }
}

/** Resolves after `ms` milliseconds, measured as in {@link closingTimer}. */
export function elapsed(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void closingTimer(clock, ms, resolve))
}

/**
 * Waits for a promise for at most `ms` milliseconds.
 *
 * @returns whether the promise has settled in time.
 * @throws the rejection reason of the promise.
 */
export async function settlesWithin(
  { clock, ms }: { readonly clock: Clock; readonly ms: number },
  promise: unknown,
): Promise<boolean> {
  let timer: ClosingTimer | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = closingTimer(clock, ms, () => resolve(false))
  })
  try {
    return await Promise.race([Promise.resolve(promise).then(() => true), late])
  } finally {
    timer?.cancel()
  }
}

/** Notifies a stream's handler that the application is closing. A stream is a response that has begun but not ended. */
export type NotifyStream = (res: ServerResponse) => void

/** Counts an aborted request by the name of its route. */
export type NoteCut = (res: ServerResponse) => void

/** Whether a response has begun and has been neither ended nor destroyed. */
export function isStreaming({ headersSent, writableEnded, destroyed }: ServerResponse): boolean {
  return headersSent && !writableEnded && !destroyed
}

/**
 * Creates a {@link NotifyStream}.
 *
 * @param scopes Used to run the listeners of `req.signal` in the scope of their request.
 */
export function notifyStreamIn(scopes: RequestScopes | null): NotifyStream {
  return function notifyStream(res) {
    const req = (res as Response).req as BlazonRequest
    // Reading `req.signal` creates it. A handler that reads the signal later receives an aborted signal.
    if (req.signal.aborted) return
    inScopeOf(scopes, req, () => req[kAbortController]?.abort(new AppClosingError()))
  }
}
