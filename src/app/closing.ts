import type { ServerResponse } from 'node:http'
import type { Clock, Timer } from '../contracts/clock.js'
import type { Response } from '../contracts/handler.js'
import { AppClosingError } from '../errors/failure.js'
import type { BlazonRequest } from '../http/request.js'
import { inScopeOf, type RequestScopes } from '../http/request-scopes.js'
import { kAbortController } from '../http/symbol-fields.js'

/** The longest time that `setTimeout` accepts. It would treat a longer one as 1 ms. */
const LONGEST_MS = 2 ** 31 - 1

/** A timer whose real part keeps the process alive until `unref`. */
export interface ClosingTimer extends Timer {
  unref(): void
}

/**
 * Calls `run` once, after `ms` milliseconds of the application's clock or of real time, whichever comes first. A test can
 * advance the clock; if it has stopped the clock, the process must still be able to end.
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
 * Waits for a promise, but only `ms` milliseconds.
 *
 * @returns whether it has settled in time.
 * @throws the reason of the promise.
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

/**
 * Notifies the handler of a stream that the application closes. A stream is a response that has begun and not
 * ended.
 */
export type NotifyStream = (res: ServerResponse) => void

/** Counts requests that were cut, by their names. */
export type NoteCut = (res: ServerResponse) => void

/** Whether a response has begun and `end` was not called yet. */
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
    // Reading `req.signal` creates it. A handler that reads it later gets an aborted signal.
    if (req.signal.aborted) return
    inScopeOf(scopes, req, () => req[kAbortController]?.abort(new AppClosingError()))
  }
}
