/**
 * Calls `expire` after `ms` milliseconds, unless the returned function is called first. Uses Node's timers,
 * not the application's clock: a fake clock does not make the network faster.
 */
export function startDeadline(ms: number, expire: () => void): () => void {
  let isOver = false
  // A reply may have arrived while this process was busy. `setImmediate` lets Node read it first: the
  // deadline measures Redis, not this process.
  const timer = setTimeout(() => setImmediate(() => isOver || expire()), ms)
  timer.unref()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

/** Waits for a promise, at most `ms` milliseconds. Never rejects. */
export function waitAtMost(
  ms: number,
  promise: Promise<unknown> = Promise.resolve(),
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = startDeadline(ms, resolve)
    const end = () => {
      cancel()
      resolve()
    }
    promise.then(end, end)
  })
}

const FAILURES = 5

/**
 * Counts late replies of Redis. While it is open, the link sends no commands, because they would only wait
 * for the deadline.
 */
export class Breaker {
  #failures = 0

  /** Whether each of the last five replies was late or missing. */
  get isOpen(): boolean {
    return this.#failures >= FAILURES
  }

  /** Call this when a reply came before the deadline. */
  succeed(): void {
    if (!this.isOpen) this.#failures = 0
  }

  /** Call this when a reply did not come before the deadline. */
  fail(): void {
    this.#failures++
  }

  reset(): void {
    this.#failures = 0
  }
}
