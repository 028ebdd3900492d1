import type { Clock, Timer } from '../contracts/clock.js'

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

/** Resolves after `ms` milliseconds, as {@link closingTimer} measures them. */
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
