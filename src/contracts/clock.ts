/** A scheduled call. It never keeps the process alive. */
export interface Timer {
  /** Cancels the call. Has no effect after the call has run or was cancelled. */
  cancel(): void
}

/**
 * Returns the time, and schedules calls. Everything in an application that waits or expires uses the same clock, so
 * that a test can change the time. The only exception is the wait for the other end of a socket, because a test cannot
 * change the time there.
 */
export interface Clock {
  /** The current time in milliseconds since 1970, like `Date.now()`. Use it for dates; it can go backwards. */
  now(): number
  /** Milliseconds since an unspecified start. The value never decreases; use it for durations. */
  monotonic(): number
  /** Calls `run` once, after `ms` milliseconds. `ms` has no upper limit. */
  setTimeout(run: () => void, ms: number): Timer
  /** Calls `run` every `ms` milliseconds. */
  setInterval(run: () => void, ms: number): Timer
}
