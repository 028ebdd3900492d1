/** Something that will happen. It never keeps the process alive. */
export interface Timer {
  /** Makes it not happen any more. Calling it again, or too late, does nothing. */
  cancel(): void
}

/**
 * What tells time and waits. Everything in an application that waits or expires asks the same one, so that
 * a test can move it. Only what waits for the other end of a socket does not: neither a peer nor a
 * shutdown is quicker for a test's wish.
 */
export interface Clock {
  /** What time it is, in milliseconds since 1970, as `Date.now()`. For dates: it can be set back. */
  now(): number
  /** Milliseconds from an unknown start, which never go back. For durations. */
  monotonic(): number
  /** Calls `run` once, after `ms` milliseconds, however many. */
  setTimeout(run: () => void, ms: number): Timer
  /** Calls `run` every `ms` milliseconds. */
  setInterval(run: () => void, ms: number): Timer
}
