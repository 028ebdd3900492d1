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
